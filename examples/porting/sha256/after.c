/* SPDX-License-Identifier: MIT */
/*
 * after - print the SHA-256 of files, as sha256sum does, with a reader.
 *
 *	cc -O2 after.c $(pkg-config --cflags --libs liburingx) -lcrypto
 */
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uringx/reader.h>

static int hash_file(const char *path)
{
	struct uringx_reader_options options = { .block_sz = 1 << 20, .depth = 8 };
	struct uringx_reader *reader;
	const void *block;
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int digest_sz, i;
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	ssize_t n;
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	n = uringx_reader_open(&reader, fd, &options);
	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror((int)-n));
		return 1;
	}
	EVP_DigestInit_ex(context, EVP_sha256(), NULL);
	while ((n = uringx_reader_next(reader, &block)) > 0)
		EVP_DigestUpdate(context, block, (size_t)n);
	if (n < 0)
		fprintf(stderr, "%s: %s\n", path, strerror((int)-n));
	uringx_reader_close(reader);
	close(fd);
	EVP_DigestFinal_ex(context, digest, &digest_sz);
	EVP_MD_CTX_free(context);
	for (i = 0; i < digest_sz && n == 0; i++)
		printf("%02x", digest[i]);
	if (n == 0)
		printf("  %s\n", path);
	return n < 0;
}

int main(int argc, char **argv)
{
	int status = 0;
	int i;

	for (i = 1; i < argc; i++)
		status |= hash_file(argv[i]);
	return status;
}

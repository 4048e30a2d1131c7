/* SPDX-License-Identifier: MIT */
/*
 * before - print the SHA-256 of files, as sha256sum does, with a loop of read(2).
 *
 *	cc -O2 before.c -lcrypto
 */
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <unistd.h>

static int hash_file(const char *path)
{
	static unsigned char buf[65536];
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int digest_sz, i;
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	ssize_t n;
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	EVP_DigestInit_ex(context, EVP_sha256(), NULL);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		EVP_DigestUpdate(context, buf, (size_t)n);
	if (n < 0)
		perror(path);
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

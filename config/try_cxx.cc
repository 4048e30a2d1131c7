/* SPDX-License-Identifier: MIT */
/* A C++ compiler with its library. */
#include <string>

int main()
{
	return std::string("a").size() == 1 ? 0 : 1;
}

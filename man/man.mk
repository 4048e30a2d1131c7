# SPDX-License-Identifier: MIT
#
# A part of the Makefile. The manual: pages in man(7) source, which need no tool, and
# a link for each other name of a page. M=WORD checks only pages with it in their name.

.PHONY: install-man uninstall-man check-man doc
MANPAGES := $(wildcard $Sman/*.[1-9])
page_dir = $(MANDIR)/man$(subst .,,$(suffix $(1)))
# Lines "man3/LINK.3 man3/PAGE.3".
MAN_LINKS = $Stools/man-links $(MANPAGES)

install-man:
	@set -e; $(foreach page,$(MANPAGES),$(call put,644,$(page),$(call page_dir,$(page))/$(notdir $(page)));):
	@$(MAN_LINKS) | while read -r link page; do \
		echo ".so $$page" >'$(DESTDIR)$(MANDIR)'/"$$link" && chmod 644 '$(DESTDIR)$(MANDIR)'/"$$link"; done

uninstall-man:
	@rm -f $(foreach page,$(MANPAGES),'$(DESTDIR)$(call page_dir,$(page))/$(notdir $(page))')
	@$(MAN_LINKS) | while read -r link page; do rm -f '$(DESTDIR)$(MANDIR)'/"$$link"; done

check-man: all $(BUILD)/tools/refuse_call
	@rm -rf $(BUILD)/man
	@$(MAKE) --no-print-directory install-man DESTDIR=$(abspath $(BUILD))/man MANDIR=
	@$(RUN_ENV) MAN_ROOT=$(abspath $(BUILD))/man M='$M' $Stools/check-man
	$(if $M,,@$(MAKE) --no-print-directory doc)

doc:
	@SRCDIR=$(SRCDIR) $Stools/man-html $(BUILD)/html $(MANPAGES)

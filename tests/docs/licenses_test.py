#!/usr/bin/env python3
"""LICENSE is the Apache License 2.0 to the byte; docs/LICENSES.md has every package that
scripts/install-dependencies names, once, with a licence; README points to both. Where a package is
installed, the licence of its files is looked up in Debian's copyright file. Argument: the top of
the tree."""

import hashlib
import pathlib
import re
import subprocess
import sys
import unittest

TOP = pathlib.Path(sys.argv.pop(1))
TEXT = (TOP / "docs/LICENSES.md").read_text()

# What Debian's copyright files call a licence, and the name that docs/LICENSES.md has for it.
NAMES = {
    "Apache": "Apache-2.0", "APACHE-2-LLVM-EXCEPTIONS": "Apache-2.0 with LLVM exceptions",
    "BSD-2": "BSD-2-Clause", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause",
    "BSD-3-google": "BSD-3-Clause", "BSD-3-snowball": "BSD-3-Clause", "Boost-1": "BSL-1.0",
    "Boost-1.0": "BSL-1.0", "Expat": "MIT", "Expat with embedded exception": "MIT",
    "GPL-2.0+": "GPL-2 or later",
    "GPL-2+": "GPL-2 or later", "GPL-3+": "GPL-3 or later",
    "GPL-2 with linking exception, origin admission": "GPL-2 with an exception",
}


def rows():
    return re.findall(r"^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$", TEXT, flags=re.M)


def licence_in_debian(package):
    """The licence of `Files: *`; none where the package is absent or its file has another form."""
    path = pathlib.Path("/usr/share/doc", package, "copyright")
    if not path.is_file():
        return None
    stanza = re.search(r"^Files:\s+\*\s*\n(?:.*\n)*?License: *(.+)$", path.read_text(), flags=re.M)
    return stanza.group(1).strip() if stanza else None


class Licenses(unittest.TestCase):
    def test_licence_of_mneme(self):
        digest = hashlib.sha256((TOP / "LICENSE").read_bytes()).hexdigest()
        self.assertEqual(digest, "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30")
        readme = (TOP / "README.md").read_text()
        self.assertIn("(LICENSE)", readme)
        self.assertIn("(docs/LICENSES.md)", readme)

    def test_every_package_once(self):
        listed = subprocess.run([TOP / "scripts/install-dependencies", "--checks", "--list"],
                                capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(sorted(package for package, _ in rows()), sorted(listed))

    def test_as_debian_says(self):
        for package, licence in rows():
            said = licence_in_debian(package)
            if said:
                self.assertTrue(licence.strip("*").startswith(NAMES.get(said, said)),
                                f"{package}: {licence}, and Debian says {said}")


if __name__ == "__main__":
    unittest.main()

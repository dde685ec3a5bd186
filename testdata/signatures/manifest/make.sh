#!/bin/sh
# Signs the skill of `tests/cli/verify_manifests.rs` anew, with `skill-signer` 0.1.0 of PyPI and `ssh-keygen` of OpenSSH. The key is thrown
# away.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
ssh-keygen -q -N '' -C '' -t ed25519 -f "$work/key"
mkdir -p "$work/tea/scripts" "$work/tea/docs"
printf -- '---\nname: tea\ndescription: Makes tea.\n---\n# Tea "for\ttwo" \360\237\253\226\177\n' > "$work/tea/SKILL.md"
printf 'boil\n' > "$work/tea/scripts/boil"
printf 'Z\303\274nden.\n' > "$work/tea/docs/Kännchen 🫖.md"
: > "$work/tea/empty"
skill-signer sign "$work/tea" --key "$work/key" --identity zoë@tea.example --version 1.2.0
cp "$work/tea/MANIFEST.sig.json" .
printf 'zoë@tea.example namespaces="skill-manifest" %s\n' "$(cat "$work/key.pub")" > allowed_signers

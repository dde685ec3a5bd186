#!/bin/sh
# Makes the signatures of this folder anew, with `ssh-keygen` of OpenSSH. The keys are thrown away.
set -e
cd "$(dirname "$0")"
keys=$(mktemp -d)
trap 'rm -r "$keys"' EXIT
printf 'Boil water.\n' > message
: > allowed_signers
for kind in ed25519 ecdsa-256 ecdsa-384 ecdsa-521 rsa-2048; do
  ssh-keygen -q -N '' -C "" -t "${kind%-*}" $(case $kind in *-*) echo -b "${kind#*-}";; esac) -f "$keys/$kind"
  ssh-keygen -q -Y sign -n skilltree-lock -f "$keys/$kind" < message > "$kind.sig"
  printf '%s@example.com %s\n' "$kind" "$(cat "$keys/$kind.pub")" >> allowed_signers
done
ssh-keygen -q -Y sign -n file -f "$keys/ed25519" < message > other-namespace.sig
ssh-keygen -q -Y sign -n skilltree-lock -O hashalg=sha256 -f "$keys/ed25519" < message > sha256.sig

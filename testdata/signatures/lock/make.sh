#!/bin/sh
# Signs the lock of this folder anew, with `ssh-keygen` of OpenSSH. The keys are thrown away.
set -e
cd "$(dirname "$0")"
keys=$(mktemp -d)
trap 'rm -r "$keys"' EXIT
ssh-keygen -q -N '' -C '' -t ed25519 -f "$keys/own"
ssh-keygen -q -N '' -C '' -t ed25519 -f "$keys/other"
ssh-keygen -q -Y sign -n skilltree-lock -f "$keys/own" < skilltree.lock > own.sig
ssh-keygen -q -Y sign -n skilltree-lock -f "$keys/other" < skilltree.lock > other.sig
ssh-keygen -q -Y sign -n file -f "$keys/own" < skilltree.lock > other-namespace.sig
printf 'ops@acme.example namespaces="skilltree-lock" %s\n' "$(cat "$keys/own.pub")" > allowed_signers

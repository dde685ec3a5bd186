git add --patch

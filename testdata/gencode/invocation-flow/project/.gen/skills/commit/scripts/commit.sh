git commit

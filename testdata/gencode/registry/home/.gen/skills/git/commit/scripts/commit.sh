git commit --signoff

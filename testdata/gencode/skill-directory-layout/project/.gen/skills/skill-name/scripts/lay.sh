echo lay

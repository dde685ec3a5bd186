echo inner

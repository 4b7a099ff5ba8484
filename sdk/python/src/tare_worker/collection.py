class Collection:
    def __init__(self, host): pass
    def collect(self, sources, then, notice): then({})

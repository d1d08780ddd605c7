"""What the makers of random programs share: lines of text, and choices of one random generator."""


class ProgramText:
    """Builds the text of one program. A subclass says in `add_form` how its language adds to a sum."""

    add_form: str  # a call, with {slot} and {value}

    def __init__(self, random):
        self.random = random
        self.lines = []
        self.slot = 0

    def put(self, *lines):
        self.lines.extend(lines)

    def number(self, low, high):
        return self.random.randint(low, high)

    def maybe(self, text, chance=0.5):
        return text if self.random.random() < chance else ""

    def add(self, value):
        self.slot = (self.slot + 1) % 64
        return self.add_form.format(slot=self.slot, value=value)

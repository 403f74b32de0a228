"""The rows of src/a64/a64_ops.def, and words that fit them. Used by the tools beside it."""
import os, re, subprocess, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Row:
    def __init__(self, name, pattern, operands, kind, function):
        self.name, self.operands, self.kind, self.function = name, operands, kind, function
        self.fields, self.mask, self.value = [], 0, 0  # fields: (name, width, low bit)
        bit = 32
        for token in pattern.split():
            if token[0] in "01":
                for digit in token:
                    bit -= 1
                    self.mask |= 1 << bit
                    self.value |= int(digit) << bit
            else:
                field, _, width = token.partition(":")
                width = int(width or 5)
                bit -= width
                self.fields.append((field, width, bit))
        assert bit == 0, name

    def word(self, values):
        """The word with these fields."""
        w = self.value
        for field, width, low in self.fields:
            w |= (values[field] & (1 << width) - 1) << low
        return w


def rows():
    text = subprocess.run(["gcc", "-E", "-P", "-x", "c", "-I" + os.path.join(ROOT, "src"),
                           "-DROW(n,p,o,c,f)=@ n @ p @ o @ c @ f @@", "-"], input='#include "a64/a64_ops.def"\n', text=True,
                          capture_output=True, check=True).stdout
    found = []
    for part in text.replace("\n", " ").split("@@"):
        cells = [c.strip() for c in part.split("@")][1:]
        if cells:
            pattern = "".join(re.findall(r'"([^"]*)"', cells[1]))
            found.append(Row(cells[0], pattern, *cells[2:5]))
    return found


def disassemble(words, at=0):
    """What binutils makes of them: a list of texts, of which those with "undefined" are not allocated."""
    import struct
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words")
        with open(path, "wb") as f:
            f.write(struct.pack("<%dI" % len(words), *words))
        text = subprocess.run(["aarch64-linux-gnu-objdump", "-D", "-z", "-b", "binary", "-m", "aarch64", "-M", "no-aliases",
                               "--adjust-vma=%d" % at, path], text=True, capture_output=True, check=True).stdout
    lines = [line.split("\t") for line in text.splitlines() if re.match(r"\s*[0-9a-f]+:\t", line)]
    assert len(lines) == len(words)
    return ["\t".join(line[2:]) for line in lines]

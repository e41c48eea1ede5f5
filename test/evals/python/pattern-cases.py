"""Writes patterns with Python's verdict on them: one JSON object a line, [pattern, ignore case, compiles, counts].

Arguments: seed, number of patterns. Standard input: a JSON list of texts.
"""
import json
import random
import re
import signal
import sys
import warnings

warnings.simplefilter("ignore")
rng = random.Random(int(sys.argv[1]))
texts = json.load(sys.stdin)

LITERALS = list("aaabbcdeeeefgikllnorsstuAEIKST  0129.,-_%$\n") * 3 + ["é", "ß", "ſ", "K", "İ", "ı", "Σ", "ς", "’", "µ", "😀", "\x1c"]
ESCAPES = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\A", r"\Z", r"\n", r"\t", r"\.", r"\$", r"\-", r"\x41", r"\u0061",
           r"\U00000062", r"\101", r"\07", r"\1", r"\2", r"\q", r"\p", r"\/", r"\x4", r"\0"]
FLAGS = ["(?i)", "(?s)", "(?m)", "(?x)", "(?a)", "(?im)", "(?u)"]


def char_class():
    items = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.4:
            items.append(rng.choice(LITERALS + ["]", "^", "-"]))
        elif kind < 0.7:
            low, high = rng.choice([("a", "f"), ("A", "Z"), ("0", "9"), ("k", "t"), ("à", "ÿ"), ("z", "a"), ("À", "ſ"), (" ", "~")])
            items.append(low + "-" + high)
        else:
            items.append(rng.choice(ESCAPES))
    return "[" + rng.choice(["", "", "^"]) + "".join(items) + "]"


def atom(depth):
    kind = rng.random()
    if kind < 0.45 or depth <= 0:
        return "".join(rng.choice(LITERALS) for _ in range(rng.randint(1, 2)))
    if kind < 0.55:
        return rng.choice(ESCAPES)
    if kind < 0.65:
        return char_class()
    if kind < 0.69:
        return rng.choice([".", "^", "$"])
    inner = pattern(depth - 1)
    return rng.choice(["(%s)", "(%s)", "(?:%s)", "(?=%s)", "(?!%s)", "(?<=%s)", "(?<!%s)", "(?>%s)", "(?i:%s)", "(?-i:%s)", "(?s:%s)",
                       "(?P<n>%s)", "(?P=n)%s", "(?(1)%s|x)", "(?(1)%s)", "(?x: %s # c\n)", "(?a:%s)", "(?#%s)", "(?<n>%s)", "(?m:%s)"]) % inner


def pattern(depth):
    parts = []
    for _ in range(rng.randint(1, 3)):
        part = atom(depth)
        if rng.random() < 0.35:
            part += rng.choice(["*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,2}", "{,2}", "{1,}", "{2,1}", "{0}", "{,}", "{}", "{1,2}?",
                                "{1,2}+", "{x"])
        parts.append(part)
    text = "".join(parts)
    return text + "|" + pattern(depth - 1) if depth > 0 and rng.random() < 0.25 else text


def too_slow(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, too_slow)
for _ in range(int(sys.argv[2])):
    text = pattern(3)
    if rng.random() < 0.15:
        text = rng.choice(FLAGS) + text
    if rng.random() < 0.05:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice("()[]{}*+?\\|") + text[at:]
    ignore = rng.random() < 0.6
    flags = re.IGNORECASE if ignore else 0
    try:
        compiled = re.compile(text, flags)
        valid = True
    except re.error:
        compiled = re.compile(re.escape(text), flags)
        valid = False
    except (ValueError, OverflowError, RecursionError):
        continue
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        counts = [sum(1 for _ in compiled.finditer(each)) for each in texts]
    except TimeoutError:
        continue
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps([text, ignore, valid, counts]))

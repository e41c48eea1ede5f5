import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A small shop with faults in it. The recorded reports in this folder come from the same files, put into /tmp/shop. */
export const PRICE = `export function total(lines) {
  if (!Array.isArray(lines)) throw new TypeError(\`lines is no list: \${lines}\`);
  return lines.reduce((sum, line) => sum + line.price * line.amount, 0);
}
export async function later(lines) { await null; return total(lines); }
`;

export const NODE_TEST = `import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { later, total } from '../lib/price.mjs';
describe('total', () => {
  it('adds up', () => assert.equal(total([{ price: 2, amount: 3 }]), 6));
  it('is wrong # about <this>', () => assert.equal(total([{ price: 2, amount: 3 }]), 7));
  it('throws from inside', () => { total('nothing'); });
  describe('deeper', () => {
    it('compares objects', () => assert.deepEqual({ a: 1, list: [1, 2] }, { a: 1, list: [1, 3] }));
    it.skip('is skipped', () => {});
    it.todo('is to do');
  });
});
test('rejects later', async () => { await later(undefined); });
test('top passes', () => {});
test('with subtests', async (t) => {
  await t.test('inner', () => {});
  await t.test('inner fails', () => { throw new Error('boom\\nsecond line'); });
});
`;

export const NODE_EDGES = `import assert from 'node:assert';
import { before, describe, it, test } from 'node:test';
describe('empty', () => {});
describe('hook', () => {
  before(() => { throw new Error('no before'); });
  it('a', () => {});
  it('b', () => {});
});
test('twice', () => {});
test('twice', () => { assert.ok(false); });
test('times out', { timeout: 20 }, () => new Promise((done) => setTimeout(done, 500)));
test('parent by itself', async (t) => { await t.test('child', () => {}); throw new RangeError('own'); });
test("it's a \\\\ name", () => { console.log('ok 1 - fake\\n1..7\\n# fail 0'); throw new Error("C:\\\\Users it's"); });
describe.skip('skipped suite', () => { it('x', () => {}); });
test('to do and failing', { todo: true }, () => { throw new Error('t'); });
test('no error object', () => { throw 'a string'; });
`;

export const VITEST = `import { describe, expect, it } from 'vitest';
import { later, total } from '../lib/price.mjs';
describe('total', () => {
  it('adds up', () => { expect(total([{ price: 2, amount: 3 }])).toBe(6); });
  it('is wrong', () => { expect(total([{ price: 2, amount: 3 }])).toBe(7); });
  it('throws from inside', () => { total('nothing'); });
  it('compares', () => { expect({ a: 1, list: [1, 2] }).toEqual({ a: 1, list: [1, 3] }); });
  it.skip('is skipped', () => {});
  it.todo('is to do');
});
it('rejects later', async () => { await later(undefined); });
it.each([1, 2])('each %i', (n) => { expect(n, 'with <message> & ]]>').toBe(1); });
`;

export const PYTHON_PRICE = `def total(lines):
    if not isinstance(lines, list):
        raise TypeError(f"lines is no list: {lines}")
    return sum(line["price"] * line["amount"] for line in lines)


def ratio(a, b):
    return a / b
`;

export const PYTEST = `import pytest

from shop.price import ratio, total


def test_adds_up():
    assert total([{"price": 2, "amount": 3}]) == 6


def test_is_wrong():
    lines = [{"price": 2, "amount": 3}]
    assert total(lines) == 7, "the sum is wrong"


class TestRatio:
    def test_divides(self):
        assert ratio(4, 2) == 2

    def test_by_zero(self):
        ratio(1, 0)

    @pytest.mark.parametrize("a,b", [(1, 1), (2, 3), ("x - y", 1)])
    def test_pairs(self, a, b):
        assert a == b


def test_lists():
    assert {"a": 1, "list": [1, 2]} == {"a": 1, "list": [1, 3]}


@pytest.mark.skip(reason="later")
def test_skipped():
    pass


@pytest.mark.xfail(reason="known")
def test_xfails():
    assert False


@pytest.mark.xfail
def test_xpasses():
    assert True


@pytest.fixture
def broken():
    raise RuntimeError("no database")


def test_needs_database(broken):
    pass


def test_typeerror():
    total("nothing")
`;

export const PYTEST_EDGES = `import pytest


@pytest.fixture
def untidy():
    yield
    raise RuntimeError("teardown")


def test_passes_untidily(untidy):
    pass


def test_fails_untidily(untidy):
    assert 0


def test_prints():
    print("x::y PASSED")
    print("=== 9 passed in 0.1s ===")
    print("____ fake ____")
    assert "a" == "b"


def test_chain():
    try:
        int("x")
    except ValueError as error:
        raise KeyError("k") from error
`;

/** A folder of its own that is gone after the test. */
export function project(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-shop-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  write(folder, files);
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Lets a project use what this repository has installed. */
export function withPackages(folder: string): string {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

import { testName } from './failure.js';

const MAX_PARTS = 8;

/** Groups from the outside in. Of bounded size, because every test inside repeats it. */
export type TestPath = readonly string[];

export function inside(path: TestPath, name: string): TestPath {
  const last = path[MAX_PARTS - 1];
  return last === undefined
    ? [...path, testName(name)]
    : [...path.slice(0, MAX_PARTS - 1), testName(`${last} > ${name}`)];
}

export function fullName(path: TestPath): string {
  return path.join(' > ');
}

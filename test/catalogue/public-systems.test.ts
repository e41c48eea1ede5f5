import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lint } from 'flyball/catalogue';
import { expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { changed, systems } from './public-systems.js';
import { PAGE, systemsPage, unjudged } from './public-systems-page.js';

const said = (name: keyof typeof systems) =>
  lint(systems[name])
    .filter(({ level }) => level !== 'info')
    .map(({ level, rule }) => `${level} ${rule}`)
    .sort();

it('a supervisor with workers: what docs/decisions says about it [R17-PUBLIC-SYSTEMS]', () => {
  expect(said('supervisor')).toEqual([
    'error CE5',
    'error CE5',
    'error I2 requires V6',
    'error IA2',
    'error O6 requires O17',
    'warning A7',
  ]);
});

it('a debate with a judge: nothing but that judge and debaters are one model [R17-PUBLIC-SYSTEMS]', () => {
  expect(said('debate')).toEqual([]);
  expect(lint(systems.debate).map(({ rule }) => rule)).toEqual(['SEAT-MODEL']);
});

it('a research pipeline: what docs/decisions says about it [R17-PUBLIC-SYSTEMS]', () => {
  expect(said('research')).toEqual([
    'error *agent requires V5',
    'error I2 requires V6',
    'error O2 requires S6',
    'error O2 requires V20',
    'warning A7',
    'warning A8',
  ]);
});

it('the page in docs has what the linter says, and a judgment of each finding [R17-PUBLIC-SYSTEMS]', () => {
  for (const name of Object.keys(systems) as (keyof typeof systems)[]) expect(unjudged(name), name).toEqual([]);
  expect(readFileSync(join(root, PAGE), 'utf8')).toBe(systemsPage());
});

it('the changes that it names resolve every error and warning [R17-PUBLIC-SYSTEMS]', () => {
  const left = Object.values(changed).flatMap((composition) => lint(composition));
  expect(left.filter(({ level }) => level !== 'info')).toEqual([]);
});

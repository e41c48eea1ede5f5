import { lint } from 'flyball/catalogue';
import { expect, it } from 'vitest';
import { systems } from './public-systems.js';

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

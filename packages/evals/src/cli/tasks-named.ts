import { ConfigError } from 'flyball';
import type { Domain } from '../world/environment.js';
import type { Task } from '../world/task.js';
import { unknownName } from './unknown-name.js';

/** Tasks by id, by the name of a set (`base`, `tier-1`), or all; words may hold several, separated by commas. */
export function tasksNamed({ name, tasks, taskSets }: Domain, wanted: readonly string[]): readonly Task[] {
  const ids = new Set(
    wanted
      .flatMap((word) => word.split(','))
      .map((word) => word.trim())
      .filter((word) => word !== '')
      .flatMap((word) => {
        if (word === 'all') return tasks.map(({ id }) => id);
        const set = taskSets.get(word);
        if (set !== undefined) return set;
        if (tasks.some(({ id }) => id === word)) return [word];
        const known = [...taskSets.keys(), ...tasks.map(({ id }) => id)];
        throw unknownName('task or set', word, known, `flyball evals list --domain ${name}`, name);
      }),
  );
  if (ids.size === 0) throw new ConfigError('Name at least one task, a set of them, or all: --tasks all.');
  return tasks.filter(({ id }) => ids.has(id));
}

import type { EffectClass, Run } from 'flyball';

/** What exists, as a set: a compensation asserts that it does not, so running it twice changes nothing more. */
export class World {
  readonly exists = new Set<string>();
  readonly log: string[] = [];
  readonly keys: string[] = [];
  failing = 0;

  make(run: Run, name: string): Promise<string> {
    const rules: EffectClass<string, string> = {
      class: 'undoable',
      compensate: async (input, result, { key }) => {
        this.keys.push(key);
        if (this.failing > 0) {
          this.failing--;
          throw new Error('the world does not let go');
        }
        this.exists.delete(input);
        this.log.push(`undo ${input} (${result})`);
      },
    };
    return run.step(
      `make ${name}`,
      name,
      (input) => {
        this.exists.add(input);
        this.log.push(`make ${input}`);
        return `${input}!`;
      },
      rules,
    );
  }
}

export const failure = { code: 'EFFECT_FAILED', message: 'it went wrong', retryable: false } as const;

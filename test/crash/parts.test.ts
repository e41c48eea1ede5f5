import { type Engine, memoryEngine } from 'flyball';
import { describe, expect, it } from 'vitest';
import { examine } from './examine.js';
import { shows } from './shows.js';

/** An engine that stores something else than it was given, or leaves it out. */
function faulty(batchOf: (batch: Parameters<Engine['append']>[1]) => Parameters<Engine['append']>[1]): Engine {
  const engine = memoryEngine();
  return { ...engine, append: (claim, batch) => engine.append(claim, batchOf(batch)) };
}

describe('programs that show images to models', () => {
  it('keep every image, from code, from a tool and after a refusal, in forks and generations too [R11-N12-GENERATED]', async () => {
    const { violations, runs } = await examine(shows('code', 'tool', 'refused'), memoryEngine());
    expect(violations).toEqual([]);
    const asked = runs[0]?.entries.filter(({ event }) => event.type === 'ask-start');
    expect(asked).toHaveLength(6);
  });

  it('find a fault that is planted in the storage of their images [R11-N12-GENERATED]', async () => {
    const isMedia = (header: string): boolean => header.startsWith('media\u001f');
    const renamed = faulty((batch) => ({
      ...batch,
      links: (batch.links ?? []).map((link) =>
        isMedia(link.header) ? { ...link, header: link.header.replace(/\d\.png$/, '9.png') } : link,
      ),
    }));
    const { violations } = await examine(shows('code'), renamed);
    expect(violations.map(({ rule }) => rule)).toContain('parts:lost');
  });
});

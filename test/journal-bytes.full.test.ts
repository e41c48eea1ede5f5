import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileGrowthPerStep, growthPerStep, weighConversation } from '../bench/measure/conversation.js';
import { inFolder } from '../bench/measure/folder.js';

it('a conversation of 1,000 steps takes its contents once and at most 600 bytes a step, on a linear curve [R2-SHOW-BYTES]', () =>
  inFolder(async (folder) => {
    const at = (steps: number) => weighConversation(join(folder, `${steps}.db`), steps, 'talk');
    const [ten, hundred, thousand] = [await at(10), await at(100), await at(1_000)];

    expect(growthPerStep(thousand)).toBeLessThanOrEqual(600);
    expect(fileGrowthPerStep(thousand, hundred) / fileGrowthPerStep(hundred, ten)).toBeLessThan(1.2);
  }));

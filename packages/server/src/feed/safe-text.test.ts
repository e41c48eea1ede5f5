import { describe, expect, it } from 'vitest';
import { SafeText } from './safe-text.js';

const KEY = `sk-${'abcdefgh'.repeat(4)}`;

describe('text that arrives in pieces', () => {
  it.each([1, 3, 6, 1_000])(
    'shows no key behind a color, in pieces of %d characters [R19-SECRETS-STREAMED]',
    (size) => {
      const whole = `the key is \u001b[32m${KEY}\u001b[0m and more`;
      const text = new SafeText([]);
      for (let at = 0; at < whole.length; at += size) {
        text.add(whole.slice(at, at + size));
        expect(text.safe).not.toContain(KEY.slice(0, 12));
      }
      text.close();
      expect(text.safe).toBe('the key is \u001b[32m[model-key removed]\u001b[0m and more');
    },
  );
});

import { describe, expect, it } from 'vitest';
import { checkedSubject, isSubject } from '../../packages/server/src/access/names.js';

describe('the subject of a key', () => {
  it.each([
    'run:x',
    ' RUN:x',
    'ｒｕｎ：x',
    'run\ufe0f:x',
    '\ufe0frun:x',
    'r\u{e0100}un:x',
    'tri\u180bgger:x',
    'trigger\u3164:x',
    'trigger\u115f\u1160:x',
    '\uffa0 run:x',
    'run\u034f:x',
  ])('does not read as the name of a run or a trigger: %j [R19-SUBJECT-UNSEEN]', (subject) => {
    expect(isSubject(subject)).toBe(false);
    expect(() => checkedSubject(subject)).toThrow('not begin with "run:" or "trigger:"');
  });

  it.each(['ada', 'runner:x', 'my run:x', 'Ada ❤\ufe0f', '한글'])('can be any other name: %s', (subject) => {
    expect(checkedSubject(subject)).toBe(subject);
  });
});

import type { GuardAt, GuardPoint } from './guard-points.js';
import { textGuard } from './text-guard.js';

/** Digits in groups, as people write them. Which groups form a number is found by trying. */
const RUN = /(?<![\p{L}\p{N}])\p{Nd}(?:[ \u00a0.\-\u2010-\u2015]?\p{Nd}){12,80}(?![\p{L}\p{N}])/gu;
/** First digits that issuers use: of all numbers that pass the checksum, few begin so. */
const ISSUERS = /^(?:4|5[1-5]|2[2-7]|3[47]|35|30[0-5]|3[689]|6(?:011|22|4[4-9]|5))/;
const SHORTEST = 13;
const LONGEST = 19;

/** Finds payment card numbers by length, issuer and checksum. Calls with one are denied, texts redacted. */
export function cardNumbersGuard<P extends GuardPoint>(at: P): GuardAt[P] {
  return textGuard(
    {
      name: 'card-numbers',
      find(texts) {
        const count = texts.reduce((sum, text) => sum + cardsIn(text).length, 0);
        if (count === 0) return undefined;
        return {
          ruleId: 'card-numbers.luhn',
          evidence: `it holds ${count === 1 ? 'a card number' : `${count} card numbers`}`,
        };
      },
      redact(text) {
        let [plain, from] = ['', 0];
        for (const { start, end } of cardsIn(text)) {
          plain += `${text.slice(from, start)}[card number removed]`;
          from = end;
        }
        return plain + text.slice(from);
      },
    },
    at,
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function cardsIn(text: string): readonly Span[] {
  return [...text.matchAll(RUN)].flatMap((match) =>
    cardsInRun(match[0]).map(({ start, end }) => ({ start: match.index + start, end: match.index + end })),
  );
}

/** Tries every stretch of whole groups, the longest first: a checksum over a card and its expiry would not fit. */
function cardsInRun(run: string): readonly Span[] {
  const groups = [...run.matchAll(/\p{Nd}+/gu)].map(({ 0: digits, index }) => ({
    digits,
    start: index,
    end: index + digits.length,
  }));
  const found: Span[] = [];
  for (let first = 0; first < groups.length; first++) {
    for (let last = groups.length - 1; last >= first; last--) {
      const part = groups.slice(first, last + 1);
      if (!isCard(part.map(({ digits }) => digits).join(''))) continue;
      found.push({ start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 });
      first = last;
      break;
    }
  }
  return found;
}

function isCard(digits: string): boolean {
  const plain = digits.normalize('NFKC'); // full-width digits are read like plain ones
  return plain.length >= SHORTEST && plain.length <= LONGEST && ISSUERS.test(plain) && passesLuhn(plain);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const weighted = at % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

import { type FoldedText, folded } from './fold-text.js';

/**
 * "Ignore the previous instructions" in several languages: a verb, what it is about, and which ones, close together in
 * any order. Stems, so that endings do not matter. Words are compared folded, like the text they are looked for in.
 */
interface Phrase {
  readonly language: string;
  readonly verbs: string;
  readonly nouns: string;
  readonly which: string;
  /** Words are not separated by spaces. */
  readonly unspaced?: true;
}

const PHRASES: readonly Phrase[] = [
  {
    language: 'en',
    verbs:
      'ignore|ignoring|disregard|forget|override|overrule|bypass|neglect|set aside|pay no attention to|do not follow',
    // words that code is full of count only where something says whose they are
    nouns:
      'instruction|prompt|guideline|directive|guardrail|system message|(?:your|previous|prior|earlier|above|all|the|these|' +
      'any|system|safety) (?:rules|training|context|programming|commands)',
    which: 'previous|prior|earlier|above|preceding|foregoing|all|any|your|original|initial|former|system|everything',
  },
  {
    language: 'de',
    verbs: 'ignorier|vergiss|vergesse|missacht|missbeacht|uberschreib|beachte nicht|umgeh',
    nouns: 'anweisung|instruktion|vorgabe|regel|befehl|aufforderung|systemprompt',
    which: 'vorherig|bisherig|vorig|obig|fruher|vorangegangen|all|jeglich|dein|ursprunglich',
  },
  {
    language: 'fr',
    verbs: 'ignor|oubli|neglig|ne tenez pas compte|ne tiens pas compte|fais abstraction|contourn',
    nouns: 'instruction|consigne|directive|regle|ordre|invite',
    which: 'precedent|anterieur|ci-dessus|tout|vos|tes|initial|systeme',
  },
  {
    language: 'es',
    verbs: 'ignora|olvida|descarta|omite|haz caso omiso|desatiende|pasa por alto',
    nouns: 'instruccion|orden|regla|indicacion|directriz|directiv|mensaje del sistema',
    which: 'anterior|previa|previo|todas|todos|arriba|tus|sus|original',
  },
  {
    language: 'pt',
    verbs: 'ignore|ignora|esqueca|esquece|desconsider|descart',
    nouns: 'instrucoes|instrucao|regra|ordens|ordem|diretriz|comando',
    which: 'anterior|previa|todas|todos|acima|suas|tuas|origina',
  },
  {
    language: 'it',
    verbs: 'ignora|dimentica|scorda|trascura|non seguire|tralascia',
    nouns: 'istruzion|regol|direttiv|ordin|comand|indicazion',
    which: 'precedent|anterior|tutt|sopra|tue|vostre|original',
  },
  {
    language: 'nl',
    verbs: 'negeer|vergeet|sla over|omzeil',
    nouns: 'instructie|aanwijzing|regel|opdracht|richtlijn',
    which: 'vorige|eerdere|voorgaande|bovenstaande|alle|jouw|oorspronkelijk',
  },
  {
    language: 'pl',
    verbs: 'zignoruj|ignoruj|zapomnij|pomin|nie zwazaj',
    nouns: 'instrukcj|polecen|zasad|wytyczn|nakaz',
    which: 'poprzedni|wczesniejsz|powyzsz|wszystk|swoj|twoj',
  },
  {
    language: 'tr',
    verbs: 'yok say|gormezden gel|unut|dikkate alma',
    nouns: 'talimat|komut|kural|yonerge',
    which: 'onceki|yukaridaki|tum|butun',
  },
  {
    language: 'ru',
    verbs: 'игнорируй|игнорируйте|проигнорируй|забудь|не обращай внимания|отмени',
    nouns: 'инструкци|указани|правил|команд|предписани|промпт',
    which: 'предыдущ|прежни|выше|все|свои|твои|ранее',
  },
  {
    language: 'zh',
    verbs: '忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會',
    nouns: '指令|指示|说明|說明|规则|規則|提示|命令|要求',
    which: '之前|以前|以上|上述|先前|前面|所有|一切|系统|系統',
    unspaced: true,
  },
  {
    language: 'ja',
    verbs: '無視|忘れ|従わない',
    nouns: '指示|命令|ルール|プロンプト|規則',
    which: '以前|これまで|上記|前の|すべて|全て|先ほど',
    unspaced: true,
  },
  {
    language: 'ko',
    verbs: '무시|잊어|따르지 마',
    nouns: '지시|명령|규칙|프롬프트|지침',
    which: '이전|위의|모든|앞의|기존',
    unspaced: true,
  },
  {
    language: 'ar',
    verbs: 'تجاهل|انس|لا تتبع',
    nouns: 'التعليمات|تعليمات|الأوامر|القواعد|الإرشادات',
    which: 'السابقة|جميع|كل|أعلاه|السابق',
    unspaced: true,
  },
  {
    language: 'hi',
    verbs: 'अनदेखा|नजरअंदाज|नज़रअंदाज़|भूल जा',
    nouns: 'निर्देश|आदेश|नियम|हिदायत',
    which: 'पिछले|पहले|ऊपर|सभी|सारे',
    unspaced: true,
  },
];

/** How far apart the three may stand. */
const REACH = 60;
const SENTENCE_END = /[.!?;:。]/g;

interface Compiled {
  readonly verbs: RegExp;
  readonly nouns: RegExp;
  readonly which: RegExp;
}

const COMPILED: readonly Compiled[] = PHRASES.map((phrase) => {
  const words = (list: string): RegExp =>
    new RegExp(phrase.unspaced ? folded(list) : `(?<!\\p{L})(?:${folded(list)})\\p{L}{0,20}`, 'gu');
  return { verbs: words(phrase.verbs), nouns: words(phrase.nouns), which: words(phrase.which) };
});

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Stretches of the folded text, from the first of the three words to the last. The text is gone through once for each
 * list of words and never again for a verb: strangers write it, and a text of nothing but verbs must not take longer.
 */
export function overridesIn({ text }: FoldedText): readonly Stretch[] {
  let stops: readonly Stretch[] | undefined;
  return COMPILED.flatMap(({ verbs, nouns, which }) => {
    const said = stretches(text, verbs);
    const about = said.length === 0 ? [] : stretches(text, nouns);
    const those = about.length === 0 ? [] : stretches(text, which);
    if (those.length === 0) return [];
    stops ??= stretches(text, SENTENCE_END);
    const ends = stops;
    return said.flatMap((verb) => {
      const sentence = sentenceAround(verb, ends, text.length);
      const noun = closest(about, verb.start, sentence);
      const named = those[firstFrom(those, sentence.start)];
      if (noun === undefined || named === undefined || named.start >= sentence.end) return [];
      return [{ start: Math.min(verb.start, noun.start), end: Math.max(verb.end, Math.min(noun.end, sentence.end)) }];
    });
  });
}

function stretches(text: string, words: RegExp): readonly Stretch[] {
  return Array.from(text.matchAll(words), ({ 0: word, index }) => ({ start: index, end: index + word.length }));
}

/** As far as three words may stand apart, and not past the end of a sentence. */
function sentenceAround(verb: Stretch, stops: readonly Stretch[], length: number): Stretch {
  const next = stops[firstFrom(stops, verb.end)]?.start ?? length;
  const last = stops[firstFrom(stops, verb.start) - 1]?.end ?? 0;
  return { start: Math.max(last, verb.start - REACH, 0), end: Math.min(next, verb.end + REACH, length) };
}

function closest(words: readonly Stretch[], to: number, within: Stretch): Stretch | undefined {
  const after = firstFrom(words, to);
  return [words[after - 1], words[after]]
    .filter((word): word is Stretch => word !== undefined && word.start >= within.start && word.start < within.end)
    .sort((a, b) => Math.abs(a.start - to) - Math.abs(b.start - to))[0];
}

/** The index of the first that starts here or later; they are in order. */
function firstFrom(sorted: readonly Stretch[], at: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.start ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

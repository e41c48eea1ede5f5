import { type ImageSize, imageSize, mostPages, mostSeconds } from './media-facts.js';
import { bytesOf, type MediaPart } from './parts.js';

/**
 * Tokens of images, sounds and documents, by the formulas that providers publish. None of them may be too few:
 * reservations rest on them. Where a provider scales an image down, the most that can be left is counted.
 */
interface MediaRule {
  /** Of an image whose size is known. */
  image(size: ImageSize): number;
  /** Of an image whose size cannot be read. */
  readonly mostForImage: number;
  readonly perSecond: number;
  readonly perPage: number;
}

/** Text of a page at its densest, and the page as an image beside it. */
const DENSE_PAGE = 3_000;

/** Scaled into a square of 2,048, then to a short side of 768, then tiles of 512: at most eight. */
function tiles(base: number, each: number): MediaRule {
  const most = base + 8 * each;
  const image = ({ width, height }: ImageSize): number => {
    const into = Math.min(1, 2_048 / Math.max(width, height));
    const short = 768 / (Math.min(width, height) * into);
    const side = (pixels: number): number => Math.ceil(Math.min(2_048, pixels * into * short) / 512);
    return Math.min(most, base + each * side(width) * side(height));
  };
  return { image, mostForImage: most, perSecond: 10, perPage: DENSE_PAGE + most };
}

/** Patches of 32 pixels, at most 1,536, times a factor of the model. */
function patches(factor: number): MediaRule {
  const most = Math.ceil(1_536 * factor);
  const image = ({ width, height }: ImageSize): number =>
    Math.min(most, Math.ceil(Math.ceil(width / 32) * Math.ceil(height / 32) * factor));
  return { image, mostForImage: most, perSecond: 10, perPage: DENSE_PAGE + most };
}

/** Tokens by area, up to what the model with the sharpest eyes reads. */
function byArea(pixelsPerToken: number, most: number): MediaRule {
  const image = ({ width, height }: ImageSize): number => Math.min(most, Math.ceil((width * height) / pixelsPerToken));
  return { image, mostForImage: most, perSecond: 50, perPage: DENSE_PAGE + 1_600 };
}

const GEMINI_TILE = 258;
const GEMINI: MediaRule = {
  image: ({ width, height }) =>
    width <= 384 && height <= 384 ? GEMINI_TILE : Math.ceil(width / 768) * Math.ceil(height / 768) * GEMINI_TILE,
  mostForImage: 16 * GEMINI_TILE,
  perSecond: 32,
  perPage: GEMINI_TILE,
};

/** One token for 28 by 28 pixels is the finest that open models in common use read. */
const FINEST = byArea(28 * 28, 16_384);

const RULES = {
  anthropic: byArea(750, 4_784),
  gemini: GEMINI,
  /** A fixed number an image, at the resolution that it is read at unless told otherwise. */
  'gemini-3': { image: () => 1_120, mostForImage: 1_120, perSecond: 32, perPage: 1_120 },
  'openai-4o': tiles(85, 170),
  'openai-4o-mini': tiles(2_833, 5_667),
  'openai-5': tiles(70, 140),
  'openai-o': tiles(75, 150),
  'openai-patches': patches(1.72),
  'openai-patches-nano': patches(2.46),
  /** Nobody has said how: the most cautious numbers. */
  unknown: { ...FINEST, image: (size: ImageSize) => Math.max(1_600, FINEST.image(size)), perPage: 5_000 },
} as const satisfies Readonly<Record<string, MediaRule>>;

/** By which published formula a model counts what is not text. */
export type MediaTokenRule = keyof typeof RULES;

/** Parts of a prompt do not change, and are looked into once. */
const known = new WeakMap<MediaPart, Partial<Record<MediaTokenRule, number>>>();

/** The most tokens that a part can cost. Text files are text: their bytes count. */
export function mediaTokens(part: MediaPart, rule: MediaTokenRule = 'unknown'): number {
  if (!Object.isFrozen(part)) return counted(part, rule);
  const counts = known.get(part) ?? {};
  counts[rule] ??= counted(part, rule);
  known.set(part, counts);
  return counts[rule];
}

function counted(part: MediaPart, rule: MediaTokenRule): number {
  const { image, mostForImage, perSecond, perPage }: MediaRule = RULES[rule];
  switch (part.type) {
    case 'image': {
      const size = imageSize(part);
      return size === undefined ? mostForImage : image(size);
    }
    case 'audio':
      return Math.ceil(mostSeconds(part) * perSecond);
    case 'file':
      // of a format that nobody can look into, a token for every byte
      return part.mediaType === 'application/pdf' ? mostPages(part) * perPage : bytesOf(part.data);
  }
}

import type { ModelCapabilities } from './model.js';

/** What the models of a vendor take beside text, and how they count it, where nothing is known about one of them. */
export type VendorMedia = Required<Pick<ModelCapabilities, 'media' | 'mediaTokens'>>;

const WEB_IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export const ANTHROPIC_MEDIA: VendorMedia = { media: [...WEB_IMAGES, 'application/pdf'], mediaTokens: 'anthropic' };

export const OPENAI_MEDIA: VendorMedia = { media: [...WEB_IMAGES, 'application/pdf'], mediaTokens: 'unknown' };

export const GEMINI_MEDIA: VendorMedia = {
  media: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', 'audio/*', 'application/pdf'],
  mediaTokens: 'gemini-3',
};

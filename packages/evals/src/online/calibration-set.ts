import { createHash } from 'node:crypto';
import { ConfigError, type Model, type Session } from 'flyball';

/** A case that people labelled: what they read. */
export interface CalibrationCase {
  readonly case: string;
  /** What only this case contains: an input or an output. At least 20 characters, so that no other text has it by chance. */
  readonly text: string;
}

/** The cases that a judge is measured by. A judge that has read them is measured by what it was told. */
export interface CalibrationSet {
  /** Changes with every case. */
  readonly hash: string;
  /** The same session, which refuses every request that contains a case of the set, before it is sent. */
  withheldFrom(session: Session): Session;
}

const SHORTEST = 20;

/**
 * Cases that stay out of every prompt of a judge of live runs: as an example in its instructions, as a memory, or as the run
 * itself. Only calibration shows them to the judge, one by one and without their labels, with the session as it was before.
 */
export function calibrationSet(cases: readonly CalibrationCase[]): CalibrationSet {
  if (cases.length === 0) throw new ConfigError('A calibration set needs at least one case.');
  const texts = cases.map(({ case: name, text }) => {
    const plain = plainText(text);
    if (plain.length >= SHORTEST) return { name, plain };
    throw new ConfigError(
      `The text of the case "${name}" has ${plain.length} characters. Give at least ${SHORTEST}, so that it can be told from other texts.`,
    );
  });
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
  return {
    hash,
    withheldFrom: (session) => ({ ...session, model: withholding(session.model, texts) }),
  };
}

function withholding(model: Model, texts: readonly { readonly name: string; readonly plain: string }[]): Model {
  const { id, capabilities, price, fallbacks, paidAttempts } = model;
  return {
    id,
    capabilities,
    ...(price === undefined ? {} : { price }),
    ...(fallbacks === undefined ? {} : { fallbacks }),
    ...(paidAttempts === undefined ? {} : { paidAttempts }),
    countTokens: (request) => model.countTokens(request),
    generate: async (request, how) => {
      const sent = plainText(request.messages.map(({ content }) => content).join('\n'));
      const found = texts.find(({ plain }) => sent.includes(plain));
      if (found === undefined) return model.generate(request, how);
      throw new ConfigError(
        `The prompt of the judge contains the calibration case "${found.name}". Take it out, or calibrate on other cases.`,
      );
    },
    ...(model.close === undefined ? {} : { close: () => (model.close as () => Promise<void>)() }),
  };
}

/** Line breaks and capitals do not hide a case. */
function plainText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

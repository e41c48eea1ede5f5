import type { Session } from '../core/session.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';

/** A judge as it is asked: its reply has a form, so it may be asked again, which its description counts. */
export function asking(judge: Session): Session<unknown> {
  return { ...judge, output: jsonSchemaStandard({}) };
}

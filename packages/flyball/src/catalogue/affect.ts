/** Words of feeling. `afraid we are closed` and `happy to help` are manners, so these need what they are about. */
const FEELING = 'sad|lonely|excited|hurt|thrilled|worried|scared|happy(?! (?:to|with))|proud(?! to)|afraid (?:of|for)';
const CLAIM = new RegExp(
  `\\bI(?:'m| am| was| feel| felt)\\b[^.!?]{0,20}\\b(?:${FEELING})\\b|\\bI (?:\\w+ )?(?:love|loved|miss|missed|adore|adored|care about) you\\b`,
  'i',
);
const QUOTED = /"[^"]*"|“[^“”]*”/g;

/** Whether a text says how its speaker feels. What it quotes is somebody else's. */
export function claimsFeeling(text: string): boolean {
  return CLAIM.test(text.replaceAll(QUOTED, ''));
}

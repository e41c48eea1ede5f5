type Env = Readonly<Record<string, string | undefined>>;

const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
/** Shorter values stand in ordinary words, and nothing that short protects anything. */
const SHORTEST = 6;

/** Takes the values of variables that hold secrets out of text: a provider's refusal may quote the key that it was given. */
export function withoutKeys(env: Env): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value]) => {
    const text = value?.trim() ?? '';
    return SECRET.test(name) && text.length >= SHORTEST ? [text, encodeURIComponent(text)] : [];
  });
  return (text) =>
    [...new Set(secrets)]
      .sort((a, b) => b.length - a.length)
      .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text.replaceAll(/\/\/[^/\s@]+@/g, '//'));
}

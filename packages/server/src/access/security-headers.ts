/** On every answer, whatever it is. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Pages load scripts, styles and data from this server only; answers of the API are no pages at all. */
export function securityHeaders(path: string): Readonly<Record<string, string>> {
  if (isPage(path)) return { ...ALWAYS, 'content-security-policy': PAGE_POLICY };
  return {
    ...ALWAYS,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  };
}

function isPage(path: string): boolean {
  return (
    path === '/' || path === '/docs' || path.startsWith('/docs/') || path === '/studio' || path.startsWith('/studio/')
  );
}

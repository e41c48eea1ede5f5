/**
 * Suffixes of more than one label below which strangers register names, so that `*.` before one of them would allow
 * anybody. The common ones only: the whole list changes weekly, and this is a guard against a slip in a settings file,
 * not against an attacker. A suffix of one label (`*.com`) is always refused.
 */
const SECOND_LEVELS = ['ac', 'co', 'com', 'edu', 'gob', 'gov', 'govt', 'mil', 'ne', 'net', 'nom', 'or', 'org', 'sch'];

const SHARED_HOSTS = new Set([
  'amazonaws.com',
  'appspot.com',
  'azurewebsites.net',
  'blogspot.com',
  'cloudfront.net',
  'cloudfunctions.net',
  'core.windows.net',
  'duckdns.org',
  'fly.dev',
  'github.io',
  'gitlab.io',
  'herokuapp.com',
  'netlify.app',
  'ngrok.io',
  'ngrok-free.app',
  'nip.io',
  'onrender.com',
  'pages.dev',
  'run.app',
  's3.amazonaws.com',
  'sslip.io',
  'surge.sh',
  'trycloudflare.com',
  'vercel.app',
  'web.app',
  'workers.dev',
  'xip.io',
]);

export function isPublicSuffix(domain: string): boolean {
  const labels = domain.split('.');
  if (labels.length === 1) return true;
  if (SHARED_HOSTS.has(domain)) return true;
  const [second = '', country = ''] = labels;
  return labels.length === 2 && country.length === 2 && SECOND_LEVELS.includes(second);
}

/** `repr` of a float: shortest digits that read back the same, `.0` on whole ones, exponents from 1e16 up and below 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${Object.is(value, -0) ? '-0' : value}.0`;
  const size = Math.abs(value);
  return size >= 1e16 || size < 1e-4 ? withExponent(value) : String(value);
}

function withExponent(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

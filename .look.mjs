import { chromium } from 'playwright-core';
const [,, path, out, w='1280', h='800', scheme='light', ...acts] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const ctx = await b.newContext({ viewport: { width: +w, height: +h }, colorScheme: scheme });
const p = await ctx.newPage();
p.on('console', (m) => { if (m.type() === 'error' || m.type()==='warning') console.log('console', m.text()); });
p.on('pageerror', (e) => console.log('pageerror', e.message));
await p.goto('http://127.0.0.1:4990/studio' + path);
await p.waitForTimeout(900);
for (const act of acts) { const [k, ...v] = act.split('='); if (k==='key') await p.keyboard.press(v.join('=')); if (k==='type') await p.keyboard.type(v.join('=')); if (k==='click') await p.click(v.join('=')); if (k==='wait') await p.waitForTimeout(+v); }
console.log('scroll', await p.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), p.url());
await p.screenshot({ path: out });
await b.close();

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Tool } from 'flyball';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Handler,
  type Inside,
  inside,
  names,
  PUBLIC_ADDRESS,
  publicAt,
  type Site,
  site,
} from '../../../../test/security/network.js';
import { called, project } from '../../../../test/security/project.js';
import { domainRules } from '../tools/rules/domains.js';
import { type BrowserOptions, type BrowserTools, browserTools, browserToolsThrough } from './browser.js';
import { launchChromium } from './browser-launch.js';
import type { PageView } from './page-view.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (CHROMIUM === undefined) process.stderr.write('skipped: the browser tests need Chromium (apt install chromium)\n');

type Answers = Parameters<typeof names>[0];

interface Stage {
  readonly front: Site;
  readonly listener: Inside;
  readonly tools: BrowserTools;
  act(name: string, args: unknown, run?: string): Promise<PageView>;
  tool(name: string): Tool<unknown, unknown>;
}

const opened: BrowserTools[] = [];
afterAll(() => Promise.all(opened.map((tools) => tools.close())));

/** A site that a browser reaches as http://example.com, and something inside that it must not reach. */
async function stage(
  pages: (at: { readonly inside: number }) => Readonly<Record<string, string | Handler>>,
  options: Partial<BrowserOptions> & { readonly dns?: Answers } = {},
): Promise<Stage> {
  const listener = await inside();
  const content = pages({ inside: listener.port });
  const front = await site((asked, answer) => {
    const page = content[(asked.url ?? '').split('?')[0] ?? ''];
    if (typeof page === 'function') return page(asked, answer);
    answer.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    answer.end(page ?? 'nothing here');
  });
  const rules = domainRules({
    allow: ['example.com', '*.example.org'],
    ports: [80, 443, listener.port],
    allowPrivate: [`127.0.0.1:${front.port}`],
  });
  const tools = browserToolsThrough(
    { rules, ...options },
    { resolver: names(options.dns), connect: publicAt(front.port) },
  );
  opened.push(tools);
  onTestFinished(() => tools.close());
  const tool = (name: string): Tool<unknown, unknown> =>
    tools.find((each) => each.name === name) as unknown as Tool<unknown, unknown>;
  let calls = 0;
  return {
    front,
    listener,
    tools,
    tool,
    act: async (name, args, run = 'run') => (await called(tool(name), args, `${run}:0:#${++calls}`)) as PageView,
  };
}

const numberOf = (view: PageView, name: string): number => view.elements.findIndex((each) => each.name === name) + 1;

describe.skipIf(CHROMIUM === undefined)('the browser', () => {
  it('opens pages made by scripts, clicks, types and reads on [R3-BROWSER]', async () => {
    const { act, tool } = await stage(() => ({
      '/': `<title>Shop</title><h1>Welcome</h1><p style="display:none">hidden text</p><p id=late></p>
        <script>late.innerText = 'made by a script'</script>
        <a href="/about">About us</a><form action="/search"><input name=q placeholder="Find something">
        <select name=kind aria-label="Kind"><option>all</option><option value=b>books</option></select><button>Go</button></form>`,
      '/about': '<title>About</title><p>We are us.</p>',
      '/search': (asked, answer) => {
        answer.writeHead(200, { 'content-type': 'text/html' });
        answer.end(`<p>Found: ${asked.url}</p>`);
      },
    }));
    const home = await act('browser_open', { url: 'http://example.com/' });
    expect(home).toMatchObject({ title: 'Shop', text: expect.stringMatching(/^Welcome\s+made by a script/) });
    expect(home.text).not.toContain('hidden text');
    expect(tool('browser_open').present?.(home)).toMatch(
      /\[1\] link "About us" → http:\/\/example\.com\/about\n\[2\] textbox "Find something"\n\[3\] choice "Kind"\n\[4\] button "Go"/,
    );
    await act('browser_type', { element: 3, text: 'books' });
    const found = await act('browser_type', { element: 2, text: 'bridges', submit: true });
    expect(found.text).toBe('Found: /search?q=bridges&kind=b');
    await act('browser_open', { url: 'http://example.com/' });
    expect((await act('browser_click', { element: 1 })).text).toBe('We are us.');
    expect(await act('browser_read', { from: 3 })).toMatchObject({ text: 'are us.', from: 3, length: 10 });
    await expect(act('browser_click', { element: 9 })).rejects.toThrow(/no element \[9\]/);
  });

  it.each([
    ['an address inside', (port: number) => `http://127.0.0.1:${port}/`, /loopback/],
    ['localhost', (port: number) => `http://localhost:${port}/`, /name of this machine/],
    ['another domain', () => 'http://evil.test/', /not an allowed domain/],
    ['a file', () => 'file:///etc/passwd', /file: addresses/],
    ['the browser itself', () => 'chrome://version', /chrome: addresses/],
    ['a name that leads inside', (port: number) => `http://inside.example.org:${port}/`, /loopback/],
    ['a redirect inside', () => 'http://example.com/redirect', /loopback/],
    ['a redirect to a name that leads inside', () => 'http://example.com/redirect-name', /loopback/],
  ])('does not open %s [R3-BROWSER] [R3-FETCH-PRIVATE]', async (_what, url, why) => {
    const redirect =
      (location: string): Handler =>
      (_asked, answer) =>
        answer.writeHead(302, { location }).end();
    const { act, listener } = await stage(
      ({ inside: port }) => ({
        '/redirect': redirect(`http://127.0.0.1:${port}/`),
        '/redirect-name': redirect(`http://inside.example.org:${port}/`),
      }),
      { dns: { 'inside.example.org': [['127.0.0.1']] } },
    );
    await expect(act('browser_open', { url: url(listener.port) })).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringMatching(why),
    });
    expect(listener.connections).toBe(0);
  });

  it('holds everything that a page does to the same rules [R3-BROWSER] [R3-FETCH-PRIVATE]', async () => {
    const udp = createSocket('udp4');
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    onTestFinished(() => void udp.close());
    let datagrams = 0;
    udp.on('message', () => datagrams++);
    const { act, listener, front } = await stage(
      ({ inside: port }) => ({
        '/': `<p>page</p><img src="http://127.0.0.1:${port}/img"><img src="http://[::1]:${port}/img">
        <iframe src="http://localhost:${port}/frame"></iframe><link rel=stylesheet href="http://127.0.0.1:${port}/css">
        <link rel=prefetch href="http://127.0.0.1:${port}/prefetch"><link rel=preconnect href="http://127.0.0.1:${port}">
        <script src="http://evil.test/x.js"></script>
        <script>
          const quiet = (work) => { try { Promise.resolve(work()).catch(() => 0) } catch {} };
          quiet(() => fetch('http://127.0.0.1:${port}/fetch', { mode: 'no-cors' }));
          quiet(() => fetch('http://rebind.example.org:${port}/'));
          quiet(() => fetch('/post', { method: 'POST', body: 'secret' }));
          quiet(() => navigator.sendBeacon('/beacon', 'secret'));
          quiet(() => new WebSocket('ws://127.0.0.1:${port}/'));
          quiet(() => new WebSocket('ws://example.com/socket'));
          quiet(() => new EventSource('http://127.0.0.1:${port}/events'));
          quiet(() => new SharedWorker('/worker.js'));
          quiet(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:${port}/worker')"]))));
          quiet(() => navigator.serviceWorker.register('/sw.js'));
          quiet(() => { const rtc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp.address().port}' }] });
            rtc.createDataChannel('x'); return rtc.createOffer().then((offer) => rtc.setLocalDescription(offer)); });
        </script>`,
        '/worker.js': "onconnect = () => fetch('/post', { method: 'POST', body: 'secret' })",
      }),
      { dns: { 'rebind.example.org': [['127.0.0.1']] } },
    );
    const view = await act('browser_open', { url: 'http://example.com/' });
    expect(view.text).toBe('page');
    expect(listener.connections).toBe(0);
    expect(datagrams).toBe(0);
    expect(front.requests.map(({ url }) => url).filter((url) => /post|beacon|socket|worker|sw/.test(url))).toEqual([]);
    const refused = view.refused.map(({ url, why }) => `${new URL(url).pathname} ${why}`).join('\n');
    for (const part of [
      '/img',
      '/frame',
      '/css',
      '/x.js',
      '/fetch',
      '/post',
      '/beacon',
      '/socket',
      '/events',
      '/worker',
    ])
      expect(refused).toContain(part);
  });

  it('is not led inside by a page later on: not by a script, a click or a form [R3-BROWSER]', async () => {
    const { act, listener } = await stage(({ inside: port }) => ({
      '/click': `<a href="http://127.0.0.1:${port}/">in</a>`,
      '/script': `<button onclick="location = 'http://127.0.0.1:${port}/'">in</button>`,
      '/form': `<form action="http://127.0.0.1:${port}/"><input name=q aria-label=q><button>in</button></form>`,
      '/post': '<form action="/save" method=post><button>in</button></form>',
    }));
    for (const path of ['click', 'script', 'form', 'post']) {
      const view = await act('browser_open', { url: `http://example.com/${path}` });
      await expect(act('browser_click', { element: numberOf(view, 'in') })).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringMatching(path === 'post' ? /POST would send something/ : /loopback/),
      });
    }
    expect(listener.connections).toBe(0);
  });

  it('cannot be led astray by a name that changes its mind [R3-BROWSER] [R3-FETCH-PRIVATE]', async () => {
    const { act, listener } = await stage(() => ({ '/': '<p>public</p>' }), {
      dns: { 'rebind.example.org': [[PUBLIC_ADDRESS], ['127.0.0.1']] },
    });
    const url = `http://rebind.example.org:${listener.port}/`;
    expect((await act('browser_open', { url })).text).toBe('public');
    await expect(act('browser_open', { url: `${url}?again` })).rejects.toMatchObject({ code: 'DENIED' });
    expect(listener.connections).toBe(0);
  });

  it('sends only where a person approves each click [R3-BROWSER]', async () => {
    const sent: string[] = [];
    const { act, tool } = await stage(
      () => ({
        '/': '<form action="/save" method=post><input name=a value=1 type=hidden><button>Save</button></form>',
        '/save': (asked, answer) => {
          asked.on('data', (chunk) => sent.push(String(chunk)));
          asked.on('end', () => answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>saved</p>'));
        },
      }),
      { submits: 'ask-a-person' },
    );
    expect(tool('browser_click').effect).toMatchObject({ class: 'irreversible' });
    await act('browser_open', { url: 'http://example.com/' });
    expect((await act('browser_click', { element: 1 })).text).toBe('saved');
    expect(sent).toEqual(['a=1']);
  });

  it('refuses downloads, dismisses dialogs and follows new windows', async () => {
    const { act } = await stage(() => ({
      '/': `<a href="/file.zip">file</a><a href="/next" target=_blank>window</a>
        <button onclick="document.title = String(confirm('sure?'))">ask</button>`,
      '/file.zip': (_asked, answer) =>
        answer.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('PK'),
      '/next': '<p>the next window</p>',
    }));
    await act('browser_open', { url: 'http://example.com/' });
    await expect(act('browser_click', { element: 1 })).rejects.toThrow(/download a file, which is refused/);
    expect((await act('browser_click', { element: 3 })).title).toBe('false');
    expect((await act('browser_click', { element: 2 })).text).toBe('the next window');
    await expect(act('browser_open', { url: 'http://example.com/file.zip' })).rejects.toThrow(/download a file/);
  });

  it('gives up on a page that does not come', async () => {
    const { act } = await stage(() => ({ '/': () => undefined }), { navigationMs: 300 });
    await expect(act('browser_open', { url: 'http://example.com/' })).rejects.toMatchObject({
      code: 'EFFECT_FAILED',
      retryable: true,
      message: expect.stringMatching(/Timeout 300ms exceeded/),
    });
  });

  it('keeps runs apart, has room for so many, and does nothing twice under one key', async () => {
    const { act, tool } = await stage(
      () => ({
        '/': '<p id=n></p><button onclick="n.innerText = Number(n.innerText) + 1">more</button>',
        '/cookie': `<script>document.write('<p>' + (document.cookie || 'none') + '</p>'); document.cookie = 'run=1'</script>`,
      }),
      { maxSessions: 1 },
    );
    await act('browser_open', { url: 'http://example.com/' });
    const twice = async () => (await called(tool('browser_click'), { element: 1 }, 'run:0:#same')) as PageView;
    expect((await twice()).text).toMatch(/^1/);
    expect((await twice()).text).toMatch(/^1/);
    expect((await act('browser_read', {})).text).toMatch(/^1/);
    await act('browser_open', { url: 'http://example.com/cookie' });
    expect((await act('browser_open', { url: 'http://example.com/cookie' })).text).toBe('run=1');
    expect((await act('browser_open', { url: 'http://example.com/cookie' }, 'other')).text).toBe('none');
    await expect(act('browser_read', {})).rejects.toThrow(/No page is open/);
  });

  it('closes a page that nobody uses, or whose call was stopped', async () => {
    const idle = await stage(() => ({ '/': '<p>x</p>' }), { idleMs: 50 });
    await idle.act('browser_open', { url: 'http://example.com/' });
    await expect
      .poll(() => idle.act('browser_read', {}).then(() => 'open', String), { interval: 200 })
      .toMatch(/No page/);
    const { act, tool, front } = await stage(() => ({ '/': '<p>x</p>', '/slow': () => undefined }));
    await act('browser_open', { url: 'http://example.com/' });
    const stop = new AbortController();
    const going = tool('browser_open').execute(
      { url: 'http://example.com/slow' },
      { key: 'run:0:#stop', signal: stop.signal },
    );
    await expect.poll(() => front.requests.length).toBe(2);
    stop.abort(new Error('stopped'));
    await expect(going).rejects.toThrow('stopped');
    await expect(act('browser_read', {})).rejects.toThrow(/No page is open/);
  });

  it('starts again after its browser has died', async () => {
    const { act } = await stage(() => ({ '/': '<p>alive</p>' }));
    await act('browser_open', { url: 'http://example.com/' });
    for (const { pid } of chromiumProcesses()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => act('browser_read', {}).then(() => 'open', String), { interval: 100 }).toMatch(/No page/);
    expect((await act('browser_open', { url: 'http://example.com/' })).text).toBe('alive');
  });

  it('takes pictures into a folder that may be written, and takes them back', async () => {
    const place = project();
    const { act, tool } = await stage(() => ({ '/': '<h1>picture</h1>' }), { screenshots: { allow: place.root } });
    await act('browser_open', { url: 'http://example.com/' });
    await called(tool('browser_screenshot'), { path: 'shots/one.png' }, 'run:0:#shot');
    expect(readFileSync(place.path('shots/one.png')).subarray(1, 4).toString()).toBe('PNG');
    await expect(act('browser_screenshot', { path: '../one.png' })).rejects.toThrow(/outside the allowed folders/);
    const { effect } = tool('browser_screenshot') as { effect: { compensate(...given: unknown[]): Promise<void> } };
    await effect.compensate({}, undefined, { key: 'run:0:#shot!undo', signal: new AbortController().signal });
    expect(existsSync(place.path('shots'))).toBe(false);
  });

  it('shows no secrets of this process to the browser', async () => {
    process.env['FLYBALL_TEST_SECRET'] = 'do not tell';
    onTestFinished(() => void delete process.env['FLYBALL_TEST_SECRET']);
    const browser = await launchChromium({});
    onTestFinished(() => browser.close());
    const processes = chromiumProcesses();
    expect(processes.length).toBeGreaterThan(0);
    for (const { pid } of processes) expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('do not tell');
  });
});

/** Those that this process started itself. */
function chromiumProcesses(): readonly { readonly pid: number }[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children
    .filter((pid) => pid !== '' && /chrom/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')))
    .map((pid) => ({ pid: Number(pid) }));
}

describe('without what it needs the browser', () => {
  it('says what to install [R3-BROWSER]', async () => {
    const rules = domainRules({ allow: ['example.com'] });
    const [open] = browserTools({ rules, executablePath: '/nowhere/chromium' });
    await expect(called(open as never, { url: 'http://example.com/' }, 'k')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/need Chromium, and there is none at \/nowhere\/chromium\. Install it/),
    });
    const missing = (): Promise<never> => Promise.reject(new Error('ERR_MODULE_NOT_FOUND'));
    await expect(launchChromium({}, missing)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/npm install playwright-core/),
    });
    await expect(launchChromium({ executablePath: '/bin/false' })).rejects.toThrow(/did not start/);
  });

  it('refuses settings that mean nothing', () => {
    const rules = domainRules({ allow: ['example.com'] });
    expect(() => browserTools({ rules, idleMs: 0 })).toThrow(/idleMs is 0/);
    expect(browserTools({ rules }).map(({ name }) => name)).toEqual([
      'browser_open',
      'browser_click',
      'browser_type',
      'browser_read',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { optionsIn } from './address.js';
import { limitsFor } from './limits.js';
import { settle } from './options.js';

describe('an address of Restate', () => {
  it('with a question mark in its token is refused, and not shown [R10-WORK-DB-SLIPS]', () => {
    for (const slip of ['restate://:SECR?ETtok@one:8080', 'restate://:SECR?ET=tok@one:8080']) {
      expect(() => optionsIn(slip)).toThrow('Encode special characters');
      expect(() => optionsIn(slip)).toThrow(expect.not.objectContaining({ message: expect.stringMatching(/SECR|ET/) }));
    }
  });

  it('with a password in one of its options is refused, and not shown [R10-WORK-DB-SLIPS]', () => {
    for (const slip of ['admin=http://a:SECRET@two:1', 'ui=https://a:SECRET@two/ui', 'address=http://a:SECRET@two:1']) {
      const refused = () => settle(optionsIn(`restate://:tok@one:8080?${slip}`));
      expect(refused, slip).toThrow('contains a user or a password');
      expect(refused, slip).toThrow(expect.not.objectContaining({ message: expect.stringMatching('SECRET') }));
    }
    for (const slip of ['admin=http://a:SEC RET@two:1', 'ui=ftp://a:SECRET@two', 'address=a:SECRET@two:1'])
      expect(() => settle(optionsIn(`restate://:tok@one:8080?${slip}`)), slip).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringMatching(/SEC|RET/) }),
      );
    expect(() => settle({ url: 'http://a:SECRET@one:8080' })).toThrow(/^(?!.*SECRET)/);
    expect(() => optionsIn('restate://:SE/C?RET@one')).toThrow(/^(?!.*SE\/C)/);
  });

  it('sets the options of the dispatcher [R10-RESTATE-COMMAND]', () => {
    const address =
      'restate://:to%40ken@one:8080,two:8080?listen=0.0.0.0:9080&open=true&address=http://workers:9080&name=agents&tenants=10&tenants.acme=50&agents.writer=5&identity=publickeyv1_a,publickeyv1_b';
    expect(optionsIn(address)).toEqual({
      url: ['http://one:8080', 'http://two:8080'],
      token: 'to@ken',
      listen: '0.0.0.0:9080',
      open: true,
      address: 'http://workers:9080',
      name: 'agents',
      tenants: { '*': 10, acme: 50 },
      agents: { writer: 5 },
      identityKeys: ['publickeyv1_a', 'publickeyv1_b'],
    });
    expect(optionsIn('restates://cloud.example.com')).toEqual({ url: ['https://cloud.example.com'] });
  });

  it('is refused with options that there are not, or none at all [R10-OPTIONS]', () => {
    const settled = settle as (given: unknown) => unknown;
    expect(() => settled({ url: 'restate://one', limits: { tenant: 1 } })).toThrow('no option "limits"');
    expect(() => settled({ ulr: 'restate://one' })).toThrow('no option "ulr"');
    expect(() => settled({})).toThrow('needs a url');
    expect(() => settle(optionsIn('restate://one?open=yes'))).toThrow('open must be true or false, not yes.');
    expect(() => settled(undefined)).toThrow('takes an object with options');
  });

  it('is refused in one of its options with the form that this option has [R19-RESTATE-FORMS]', () => {
    const forms = { admin: 'http://host:9070', address: 'http://host:9080' };
    for (const [name, form] of Object.entries(forms))
      for (const slip of ['127.0.0.1:9070', 'restate://127.0.0.1:9070', 'ftp://one', 'http://one/path'])
        for (const given of [optionsIn(`restate://one?${name}=${slip}`), { url: 'restate://one', [name]: slip }])
          expect(() => settle(given), slip).toThrow(`${name} is not an address. Write it as ${form}.`);
    for (const slip of ['one:8080', 'http://one/path'])
      expect(() => settle({ url: slip })).toThrow(
        'The address of Restate is not an address. Write it as restate://host',
      );
  });

  it('says in code what it says on the command line, and nothing twice [R19-RESTATE-CODE-ADDRESS]', () => {
    const address = 'restates://:tok@one,two?listen=0.0.0.0:9081&tenants=5&identity=publickeyv1_a';
    expect(settle({ url: address, name: 'mine' })).toEqual(settle({ ...optionsIn(address), name: 'mine' }));
    expect(settle({ url: ['restate://one:8080?name=mine', 'http://two:8080'] })).toMatchObject({
      ingress: ['http://one:8080', 'http://two:8080'],
      name: 'mine',
    });
    for (const twice of [
      { url: address, listen: '127.0.0.1:9080' },
      { url: ['restate://one?listen=127.0.0.1:9080', 'restate://two?listen=127.0.0.1:9080'] },
    ])
      expect(() => settle(twice)).toThrow('listen is set more than once.');
  });

  it('leads to the admin API beside it, unless that is elsewhere [R10-RESTATE-COMMAND]', () => {
    expect(settle(optionsIn('restate://one:8080,two:8080'))).toMatchObject({
      ingress: ['http://one:8080', 'http://two:8080'],
      admin: ['http://one:9070', 'http://two:9070'],
      listen: { host: '127.0.0.1', port: 9080 },
    });
    expect(settle(optionsIn('restate://one?admin=http://two:1')).admin).toEqual(['http://two:1']);
  });

  it('leads people to the UI of the admin API, unless that is elsewhere [R10-RESTATE-UI]', () => {
    expect(settle(optionsIn('restate://one:8080,two:8080')).ui).toBe('http://one:9070/ui');
    expect(settle(optionsIn('restate://one?ui=https%3A%2F%2Frestate.example.com%2Fui')).ui).toBe(
      'https://restate.example.com/ui',
    );
    expect(() => settle(optionsIn('restate://one?ui=javascript:1'))).toThrow(
      "The address of Restate's UI (ui) is not an address",
    );
  });

  it('that is wrong is refused in a sentence that does not show its token [R10-RESTATE-COMMAND]', () => {
    const wrong = (address: string) => () => settle(optionsIn(address));
    expect(wrong('restate://')).toThrow('is not an address of Restate');
    expect(wrong('restate://:secret@/x/y')).toThrow(/^(?!.*secret)/);
    expect(wrong('restate://host?tenant=3')).toThrow('has no option "tenant"');
    expect(wrong('restate://host?tenants=none')).toThrow('must be a whole number above 0');
    expect(wrong('restate://host?tenants=x')).toThrow('must be a whole number above 0, not "x".');
    expect(wrong('restate://host?agents.writer=0')).toThrow('must be a whole number above 0, not 0.');
    expect(wrong('restate://host?listen=9080')).toThrow('Write it as host:port: 127.0.0.1:9080.');
    expect(wrong('restate://host?name=%')).toThrow('name in the address of Restate cannot be read. Write % as %25.');
    expect(wrong('restate://host?name=a%20b')).toThrow('cannot be the name');
  });
});

it('limits hold for the tenant and the agent of a run, by name or for each [R10-RESTATE-LIMITS]', () => {
  const limits = { tenants: { '*': 10, acme: 50 }, agents: { writer: 5 } };
  expect(limitsFor({ tenant: 'acme', agent: 'writer:chat' }, limits)).toEqual([
    { name: 'tenant acme', most: 50 },
    { name: 'agent writer', most: 5 },
  ]);
  expect(limitsFor({ tenant: 'bolt', agent: 'reader' }, limits)).toEqual([{ name: 'tenant bolt', most: 10 }]);
  expect(limitsFor({ tenant: 'bolt', agent: 'reader' }, { tenants: {}, agents: {} })).toEqual([]);
});

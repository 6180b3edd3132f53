import { describe, expect, it } from 'vitest';
import { cpuMsSince } from '../cpu-time.ts';
import { type CheckedEmail, clippedBytes, findEmailProblems } from './email-problems.ts';

const find = (changes: Partial<CheckedEmail>) =>
  findEmailProblems({
    subject: 'News',
    html: changes.body ?? '<p>News</p>',
    body: '<p>News</p>',
    text: '',
    footer: undefined,
    sender: { domain: 'example.com', status: 'verified' },
    ...changes,
  });
const address = 'Acme Ltd\n1 Main Street';
const codesOf = (changes: Partial<CheckedEmail>) => find(changes).map(({ code }) => code);

describe('findEmailProblems', () => {
  it.each<[string, Partial<CheckedEmail>, string[]]>([
    ['nothing', {}, []],
    ['no sender', { sender: undefined }, []],
    ['a pending domain', { sender: { domain: 'example.com', status: 'pending' } }, ['domain_not_verified']],
    ['an unknown domain', { sender: { domain: 'x.example', status: undefined } }, ['domain_not_verified']],
    ['a blank subject', { subject: ' ' }, ['subject_empty']],
    ['a subject of 78 characters', { subject: '😀'.repeat(78) }, []],
    ['a subject of 79 characters', { subject: 's'.repeat(79) }, ['subject_long']],
    ['102 KB', { html: 'x'.repeat(clippedBytes) }, []],
    ['more than 102 KB', { html: 'ü'.repeat(clippedBytes / 2 + 1) }, ['too_large']],
    ['a footer that is added', { footer: { isAdded: true, address } }, ['unsubscribe_added']],
    [
      'a footer without an address',
      { footer: { isAdded: true, address: null } },
      ['postal_address_missing', 'unsubscribe_added'],
    ],
    [
      'an own link without the address of the project',
      { footer: { isAdded: false, address } },
      ['postal_address_missing'],
    ],
    [
      'an own link and the address',
      { footer: { isAdded: false, address }, text: 'From acme\u00a0LTD,\n1 Main Street' },
      [],
    ],
    ['an own link in a project without an address', { footer: { isAdded: false, address: null } }, []],
    ['an image without alt', { body: '<img src="http://a.b/c.png">' }, ['image_without_alt']],
    ['images with alt', { body: '<img alt="A" src=HTTPS://a.b><IMG ALT=""><img alt src>' }, []],
    ['an attached image', { body: '<img alt src="cid:logo">' }, []],
    ['an image within the HTML', { body: '<img alt src="data:image/gif;base64,R0">' }, ['image_not_web']],
    [
      'images that only the sender has',
      {
        body:
          '<img alt src="file:///C:/a.png"><img alt src="blob:https://a.b/c"><img alt src=" a.png">' +
          '<img alt src="/a.png"><img alt src="//a.b/c.png"><img alt src="C:\\a.png">',
      },
      Array(6).fill('image_not_web'),
    ],
    ['an image in a comment', { body: '<!-- <img src="a.png"> --><style>a{content:"<img>"}</style>' }, []],
    ['web links', { body: '<a href="https://example.com/?a=1&amp;b=2">A</a><area href=http://a.b>' }, []],
    [
      'mail and phone',
      { body: '<a href="mailto:a@b.co"><a href="TEL:+41"><a href="sms:1"><a href="#part">' },
      [],
    ],
    ['a target', { body: '<a name="part">' }, []],
    [
      'empty links',
      { body: '<a href="">A</a><a href>B</a><a href="#">C</a><a href=" ">D</a>' },
      Array(4).fill('link_empty'),
    ],
    ['a script', { body: '<a href="java&#115;cript:alert(1)">A</a>' }, ['link_not_web']],
    ['a link without scheme', { body: '<a href="www.example.com">A</a>' }, ['link_not_web']],
    ['a broken host', { body: '<a href="https://exa mple.com">A</a>' }, ['link_not_web']],
  ])('%s', (_, changes, codes) => {
    expect(codesOf(changes)).toEqual(codes);
  });

  it('puts errors first', () => {
    const all = find({
      subject: '',
      footer: { isAdded: true, address },
      sender: { domain: 'x.example', status: undefined },
    });
    expect(all.map(({ severity }) => severity)).toEqual(['error', 'warning', 'info']);
  });

  it('locates tags that are rendered as written, and no others', () => {
    const image = '<img src="https://a.b/c.png">';
    const body = `<p>\n  ${image}\n</p><a href="{{ url }}">`;
    expect(find({ body, html: `<p>\n  ${image}\n</p><a href="">` })).toEqual([
      {
        code: 'image_without_alt',
        severity: 'warning',
        message: `An image has no alternative text: ${image}`,
        field: 'body',
        line: 2,
        column: 3,
      },
      {
        code: 'link_empty',
        severity: 'warning',
        message: 'A link has no address for this reader: <a href="">',
        field: 'body',
      },
    ]);
  });

  it('reports the same tag once, and at most 20 of a kind', () => {
    expect(codesOf({ body: '<img>'.repeat(50) })).toHaveLength(1);
    const many = Array.from({ length: 50 }, (_, index) => `<img src="https://a.b/${index}">`).join('');
    expect(codesOf({ body: many })).toHaveLength(20);
  });

  it('takes linear time for any input', () => {
    const before = process.threadCpuUsage();
    for (const part of ['<a ', '<a href="', '<b>', '</i>', '<!--', '<img src=\'"'])
      find({ html: part.repeat(100_000) });
    expect(cpuMsSince(before)).toBeLessThan(3_000);
  });
});

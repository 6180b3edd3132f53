import { describe, expect, it } from 'vitest';
import { firstLink } from './first-link.ts';
import { planEvents } from './plan-events.ts';

const types = (...recipients: string[]): string[] =>
  planEvents(recipients, () => 'https://example.test/').map(({ type }) => type);

describe('events of a message', () => {
  it.each([
    ['ada@example.test', ['Send', 'Delivery']],
    ['success@simulator.amazonses.com', ['Send', 'Delivery']],
    ['ooto@simulator.amazonses.com', ['Send', 'Delivery']],
    ['bounce@simulator.amazonses.com', ['Send', 'Bounce']],
    ['suppressionlist@simulator.amazonses.com', ['Send', 'Bounce']],
    ['complaint@simulator.amazonses.com', ['Send', 'Delivery', 'Complaint']],
    ['opened@simulator.amazonses.com', ['Send', 'Delivery', 'Open']],
    ['clicked@simulator.amazonses.com', ['Send', 'Delivery', 'Open', 'Click']],
    ['bounce+label@simulator.amazonses.com', ['Send', 'Bounce']],
    ['Complaint+x+y@Simulator.AmazonSES.com', ['Send', 'Delivery', 'Complaint']],
    ['bounce@example.test', ['Send', 'Delivery']],
    ['constructor@simulator.amazonses.com', ['Send', 'Delivery']],
  ])('for %s are %j', (address, expected) => {
    expect(types(address)).toEqual(expected);
  });

  it('are of the right kind of bounce', () => {
    expect(planEvents(['bounce@simulator.amazonses.com'], () => null)[1]).toMatchObject({
      bounceType: 'Permanent',
      bounceSubType: 'General',
    });
    expect(planEvents(['suppressionlist@simulator.amazonses.com'], () => null)[1]).toMatchObject({
      bounceType: 'Permanent',
      bounceSubType: 'OnAccountSuppressionList',
    });
  });

  it('name only the recipients that they concern', () => {
    const events = planEvents(['ada@example.test', 'bounce@simulator.amazonses.com'], () => null);
    expect(events).toEqual([
      { type: 'Send' },
      { type: 'Delivery', recipients: ['ada@example.test'] },
      expect.objectContaining({ type: 'Bounce', recipients: ['bounce@simulator.amazonses.com'] }),
    ]);
  });

  it('have no click when there is nothing to click on', () => {
    const events = planEvents(['clicked@simulator.amazonses.com'], () => null);
    expect(events.map(({ type }) => type)).toEqual(['Send', 'Delivery', 'Open']);
  });
});

describe('first link', () => {
  it.each([
    ['<a href="https://a.test/?x=1&amp;y=2">', 'https://a.test/?x=1&y=2'],
    ["<A class='b' HREF='http://a.test'>", 'http://a.test'],
    ['<a href=https://a.test/x>', 'https://a.test/x'],
    ['<a href="mailto:x@a.test"><a href="https://b.test">', 'https://b.test'],
    ['<a ses:no-track href="https://a.test"><a href="https://b.test">', 'https://b.test'],
    ['<p>https://a.test</p>', null],
    [null, null],
  ])('of %s is %s', (html, link) => {
    expect(firstLink(html)).toBe(link);
  });
});

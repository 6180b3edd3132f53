import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json-value.ts';
import { renderTemplate } from './testing/render-template.ts';
import { buildVariables, type VariableSources } from './variables.ts';

const links = {
  unsubscribeUrl: 'https://x.io/u',
  subscribeUrl: 'https://x.io/s',
  manageUrl: 'https://x.io/m',
  viewUrl: 'https://x.io/v',
};

function sources(data: JsonObject, more: Partial<VariableSources> = {}): VariableSources {
  return { contact: { id: 'c1', email: 'ada@x.io', subscribed: true, data }, links, ...more };
}

const render = (source: string, from: VariableSources) => renderTemplate(source, buildVariables(from));

describe('template variables', () => {
  it.each([
    ['{{ plan }} {{ data.plan }}', 'pro pro'],
    ['{{ id }} {{ email }} {{ subscribed }}', 'c1 ada@x.io true'],
    [
      '{{ unsubscribeUrl }} {{ subscribeUrl }} {{ manageUrl }} {{ viewUrl }}',
      'https://x.io/u https://x.io/s https://x.io/m https://x.io/v',
    ],
    ['{{ locale ?? "en" }}', 'de-AT'],
    ['{{ event.plan ?? "none" }}{{ context.x ?? "none" }}', 'nonenone'],
    ['{{ first name }} {{ data.first name }}', 'Ada Ada'],
  ])('%s gives %s', (source, expected) => {
    expect(render(source, sources({ plan: 'pro', locale: 'de-AT', 'first name': 'Ada' }))).toBe(expected);
  });

  it('let a field named like the link to the page of the email win, because templates used such fields before', () => {
    expect(render('{{ viewUrl }}', sources({ viewUrl: 'https://shop.test/7' }))).toBe('https://shop.test/7');
  });

  it('let built-in names win, and keep the fields under data', () => {
    const data = {
      id: 'x',
      email: 'x',
      subscribed: 'x',
      unsubscribeUrl: 'x',
      data: 'x',
      event: 'x',
      context: 'x',
    };
    const source =
      '{{ id }} {{ email }} {{ subscribed }} {{ unsubscribeUrl }} {{ data.id }} {{ data.data }} {{ event }} {{ context }}';
    expect(render(source, sources(data))).toBe('c1 ada@x.io true https://x.io/u x x x x');
  });

  it('let the data of a request win over the contact, null included', () => {
    const from = sources({ plan: 'pro', city: 'Vienna' }, { requestData: { plan: null, code: '123' } });
    expect(render('{{ plan ?? "none" }} {{ data.plan ?? "none" }} {{ city }} {{ code }}', from)).toBe(
      'none none Vienna 123',
    );
  });

  it('give workflows their event and context, which no field can hide', () => {
    const from = sources(
      { 'event.plan': 'field', 'context.step': 'field', 'other.dot': 'field', event: { plan: 'field' } },
      { workflow: { event: { plan: 'event' }, context: { step: { ok: true } } } },
    );
    expect(render('{{ event.plan }} {{ context.step.ok }} {{ other.dot }}', from)).toBe('event true field');
  });

  it('are not changed by the counters of a template', () => {
    const variables = buildVariables(sources({ plan: 'pro', visits: 3 }));
    const source = '{% increment visits %}{% increment visits %}{% decrement plan %}{{ visits }}';
    expect(renderTemplate(source, variables)).toBe('34-15');
    expect(variables).toMatchObject({ plan: 'pro', visits: 3, data: { visits: 3 } });
  });

  it('copy every field, whatever its name, and leave their sources alone', () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'));
    fc.assert(
      fc.property(fc.dictionary(names, fc.constantFrom('v', 1, null)), (fields) => {
        const contactData: JsonObject = { ...fields };
        const variables = buildVariables(sources(contactData));
        expect(Object.getPrototypeOf(variables)).toBe(Object.prototype);
        expect(variables.email).toBe('ada@x.io');
        expect(variables.data).toEqual({ ...fields });
        expect(contactData).toEqual({ ...fields });
      }),
    );
  });

  it('show nothing that they inherit', () => {
    const source = '[{{ constructor }}{{ toString }}{{ __proto__ }}{{ data.constructor }}{{ __proto__.x }}]';
    expect(render(source, sources({}))).toBe('[]');
    const fields: JsonObject = JSON.parse('{ "__proto__": { "x": 1, "y": 2 }, "toString": "field" }');
    expect(render('{{ x }}{{ __proto__.y }}{{ toString }}', sources(fields))).toBe('2field');
  });
});

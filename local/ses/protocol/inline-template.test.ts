import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate, MissingAttribute, parseTemplateData } from './inline-template.ts';
import { SesError } from './ses-error.ts';

describe('inline templates', () => {
  it('inserts values as they are, without escaping', () => {
    const template = compileTemplate('<p>{{ name }} and {{{name}}}</p>');
    expect(template({ name: '<b>"Ada" & co</b>' })).toBe('<p><b>"Ada" & co</b> and <b>"Ada" & co</b></p>');
  });

  it('never expands a value again, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => {
        const source = compileTemplate('{{a}}|{{b}}');
        expect(source({ a: `{{b}}${one}`, b: two })).toBe(`{{b}}${one}|${two}`);
      }),
    );
  });

  it('names the missing attribute, even for an inherited name', () => {
    expect(() => compileTemplate('{{name}}')({})).toThrow(MissingAttribute);
    expect(() => compileTemplate('x {{constructor}}')({})).toThrow("'constructor'");
  });

  it('refuses the rest of the template language', () => {
    expect(() => compileTemplate('{{#if a}}x{{/if}}')).toThrow(SesError);
  });

  it.each(['[1]', '"text"', 'null', '{'])('refuses %s as template data', (json) => {
    expect(() => parseTemplateData(json)).toThrow(SesError);
  });
});

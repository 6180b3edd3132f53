import { describe, expect, it } from 'vitest';
import { asTemplate } from './as-template.ts';

const token = 'aZ0_-'.repeat(13).slice(0, 64);

describe('a rendered email as a template', () => {
  it.each([
    ['Hello {{ name }}', '{% raw %}Hello {{ name }}{% endraw %}'],
    ['a{% endraw %}b', '{% raw %}a{% endraw %}{{ "{%" }}{% raw %} endraw %}b{% endraw %}'],
    [
      `<a href="https://mail.example.com/posthaste/manage/${token}">`,
      '{% raw %}<a href="{% endraw %}{{ manageUrl }}{% raw %}">{% endraw %}',
    ],
    [`<a href="https://example.com/view/1">`, '{% raw %}<a href="https://example.com/view/1">{% endraw %}'],
  ])('%j', (rendered, template) => {
    expect(asTemplate(rendered)).toBe(template);
  });
});

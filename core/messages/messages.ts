import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };

/** Everything that recipients read from the service itself: email footer and public pages. Translators: README.md. */
export type Messages = Readonly<typeof en>;
export type MessageKey = keyof Messages;
export type Locale = 'de' | 'en' | 'es' | 'fr' | 'it' | 'nl' | 'pt';

export const messages: Readonly<Record<Locale, Messages>> = { de, en, es, fr, it, nl, pt };

/**
 * The language for a contact's `locale` as it stands in `data`: by its first subtag, whatever its case or
 * separator (`de-AT`, `DE`, `de_CH`); English for any other language and for anything that is no text.
 */
export function resolveLocale(locale: unknown): Locale {
  if (typeof locale !== 'string') return 'en';
  const [language = ''] = locale.trim().toLowerCase().split(/[-_.]/, 1);
  return isLocale(language) ? language : 'en';
}

/**
 * The language for a reader of whom nothing is known but the browser's header `Accept-Language`: of those that it
 * prefers the first that we speak, else English. A `q` that is no number counts as 0, and at 0 a language is refused
 * (RFC 9110, "Accept-Language").
 */
export function negotiateLocale(acceptLanguage: string | undefined): Locale {
  let best: Locale = 'en';
  let bestQuality = 0;
  for (const range of (acceptLanguage ?? '').split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q\s*=/i.test(parameter))?.split('=')[1];
    const wanted = quality === undefined ? 1 : Number(quality.trim() || 'none');
    const [language = ''] = tag.toLowerCase().split('-', 1);
    if (!isLocale(language) || !(wanted > bestQuality)) continue;
    best = language;
    bestQuality = wanted;
  }
  return best;
}

/** A message with its `{name}` placeholders filled in; not escaped. */
export function formatMessage(
  locale: Locale,
  key: MessageKey,
  values: Readonly<Record<string, string>> = {},
): string {
  return messages[locale][key].replace(
    /\{(\w+)\}/g,
    (placeholder, name: string) => values[name] ?? placeholder,
  );
}

function isLocale(language: string): language is Locale {
  return Object.hasOwn(messages, language);
}

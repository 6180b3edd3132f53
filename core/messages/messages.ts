import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };

export type Messages = Readonly<typeof en>;
export type MessageKey = keyof Messages;
export const locales = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'] as const;
export type Locale = (typeof locales)[number];

export const messages: Readonly<Record<Locale, Messages>> = { de, en, es, fr, it, nl, pl, pt };

/** Resolves a contact's `locale` by its first subtag, in any case and with any separator (`de-AT`, `DE`, `de_CH`). */
export function resolveLocale(locale: unknown, fallback: Locale = 'en'): Locale {
  if (typeof locale !== 'string') return fallback;
  const [language = ''] = locale.trim().toLowerCase().split(/[-_.]/, 1);
  return isLocale(language) ? language : fallback;
}

/**
 * Negotiates a language from `Accept-Language` (RFC 9110): the supported one with the highest `q`, otherwise
 * the fallback. An invalid `q` counts as 0, and 0 excludes a language.
 */
export function negotiateLocale(acceptLanguage: string | undefined, fallback: Locale = 'en'): Locale {
  let best = fallback;
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

/** Fills in `{name}` placeholders, without escaping. */
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

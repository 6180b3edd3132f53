import { createHash } from 'node:crypto';
import { defaultBrandColor, isBrandColor, textColorOn } from '../../core/brand-color.ts';
import { type Locale, messages } from '../../core/messages/messages.ts';
import type { ResponseHeaders } from '../edge/route.ts';
import type { PageProject } from '../services/public-links.ts';
import { type Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';

export interface Page {
  body: string;
  headers: ResponseHeaders;
}

export interface PageOptions {
  locale: Locale;
  /** Undefined for a link that is not genuine: then nothing is known. */
  project: PageProject | undefined;
  title: string;
  content: Html;
}

/** The content type of every page. */
export const pageType = 'text/html; charset=utf-8';

/**
 * A complete page: one column that fits a phone, light or dark as the reader's device is set, no script, nothing
 * from elsewhere. Its headers let the browser load nothing, run nothing and send forms only back to here.
 */
export function renderPage({ locale, project, title, content }: PageOptions): Page {
  const wanted = project?.brandColor ?? defaultBrandColor;
  const brand = isBrandColor(wanted) ? wanted : defaultBrandColor;
  const style = `:root{--brand:${brand};--on-brand:${textColorOn(brand)}}${pageStyle}`;
  const styleHash = createHash('sha256').update(style).digest('base64');
  const { text } = html`<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title}${project !== undefined && ` · ${project.name}`}</title>
`;
  const { text: body } = html`</head>
<body>
<main>
${project !== undefined && html`<p class="project">${project.name}</p>`}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return {
    // The style is our own text and the checked colour; as CSS it must not be escaped like HTML.
    body: `<!doctype html>\n${text}<style>${style}</style>\n${body}`,
    headers: {
      'Content-Security-Policy':
        `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; ` +
        "frame-ancestors 'none'",
      'X-Robots-Tag': 'noindex, nofollow',
      'Content-Language': locale,
    },
  };
}

/** What a page says about itself being no use: a heading and what to do. */
export function renderNotice(
  locale: Locale,
  project: PageProject | undefined,
  notice: 'page.invalidLink' | 'page.gone' | 'page.tooManyTries' | 'page.failed',
): Page {
  const text = messages[locale];
  const content = html`<p>${text[`${notice}Hint`]}</p>`;
  return renderPage({ locale, project, title: text[notice], content });
}

import { createHash } from 'node:crypto';
import type Koa from 'koa';
import { defaultBrandColor, isBrandColor, textColorOn } from '../../core/brand-color.ts';
import { type Html, html } from '../../core/html.ts';
import { parseLogoUrl } from '../../core/logo-url.ts';
import { type Locale, messages } from '../../core/messages/messages.ts';
import type { PageProject } from '../services/public-links.ts';
import { pageStyle } from './page-style.ts';

export interface Page {
  body: string;
  headers: Record<string, string>;
}

export interface PageOptions {
  locale: Locale;
  /** Undefined for a link that is not genuine. */
  project: PageProject | undefined;
  title: string;
  content: Html;
}

export const pageType = 'text/html; charset=utf-8';

/** The page's headers replace those of `securityHeaders`. */
export function showPage(ctx: PageContext, { body, headers }: Page): void {
  ctx.set(headers);
  ctx.type = pageType;
  ctx.body = body;
}

interface PageContext extends Pick<Koa.ExtendableContext, 'set' | 'type'> {
  body: unknown;
}

/**
 * Renders a complete page without scripts, one column, light or dark as the device prefers. Its policy lets the browser
 * load nothing but the project's logo and submit forms only to this host.
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
${project !== undefined && html`<p class="project">${nameOf(project)}</p>`}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return {
    // The style is our own text plus the checked colour; CSS must not be escaped like HTML.
    body: `<!doctype html>\n${text}<style>${style}</style>\n${body}`,
    headers: {
      'Content-Security-Policy':
        `default-src 'none'; style-src 'sha256-${styleHash}'; ${imageSource(project)}form-action 'self'; ` +
        "base-uri 'none'; frame-ancestors 'none'",
      'X-Robots-Tag': 'noindex, nofollow',
      'Content-Language': locale,
    },
  };
}

// No referrer: the address of the page acts for the contact.
const nameOf = ({ name, logoUrl }: PageProject): Html =>
  logoUrl === null ? html`${name}` : html`<img src="${logoUrl}" alt="${name}" referrerpolicy="no-referrer">`;

function imageSource(project: PageProject | undefined): string {
  const logo = parseLogoUrl(project?.logoUrl ?? '');
  return logo === undefined ? '' : `img-src ${new URL(logo).origin}; `;
}

export function renderNotice(
  locale: Locale,
  project: PageProject | undefined,
  notice: 'page.invalidLink' | 'page.gone' | 'page.tooManyTries' | 'page.failed',
  signInUrl: string | null = null,
): Page {
  const text = messages[locale];
  const content = html`<p>${text[`${notice}Hint`]}</p>
${signInUrl !== null && html`<p><a href="${signInUrl}">${text['page.signIn']}</a></p>`}`;
  return renderPage({ locale, project, title: text[notice], content });
}

import sanitize from 'sanitize-html';

/**
 * Keeps text, structure, tables, links and images. Removes scripts, styles, forms, frames and event handlers,
 * and all URLs except web, mail, phone and the email's own parts (`cid:`).
 */
const options: sanitize.IOptions = {
  allowedTags: [...sanitize.defaults.allowedTags, 'img', 'font', 'center', 'del', 'ins'],
  allowedAttributes: {
    a: ['href', 'name', 'title', 'rel', 'target'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    font: ['color', 'size', 'face'],
    '*': ['align', 'valign', 'dir', 'lang', 'bgcolor', 'width', 'height', 'colspan', 'rowspan', 'border'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 200,
  transformTags: {
    a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer nofollow', target: '_blank' }),
  },
  parseStyleAttributes: false,
};

export function sanitizeEmailHtml(html: string): string {
  return sanitize(html, options);
}

import sanitize from 'sanitize-html';

/**
 * What is left of the HTML of a received email: text, structure, tables, links and images. No script, style, form,
 * frame or event handler, and no address but of the web, of mail, and of the email's own parts (`cid:`).
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

/** The HTML of a stranger without anything that acts. */
export function sanitizeEmailHtml(html: string): string {
  return sanitize(html, options);
}

-- What contacts see of a project, on the public pages and in the footer of marketing email.
alter table projects
  add logo_url text constraint projects_logo_url_check check (char_length(logo_url) <= 2000),
  add footer_address text constraint projects_footer_address_check check (char_length(footer_address) <= 300),
  add language text not null default 'en'
    constraint projects_language_check check (language in ('de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'));

create table invitation_hours (
  subject text not null,
  hour timestamptz(3) not null,
  mails int not null,
  primary key (subject, hour)
);

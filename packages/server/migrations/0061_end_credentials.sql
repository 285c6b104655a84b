-- A reset of the password gives a token by which all that was made before ends, for who finds something strange in it.
alter table mailed_tokens
  drop constraint mailed_tokens_purpose_check,
  add constraint mailed_tokens_purpose_check check (purpose in ('verify_email', 'reset_password', 'end_credentials'));

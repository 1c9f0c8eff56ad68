# install: see below

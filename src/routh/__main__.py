"""The command by `python -m routh`."""

from routh.cli.main import main

if __name__ == "__main__":
    main()

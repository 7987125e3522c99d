"""The app: `streamlit run main.py -- WORK`. The pages are in `pages/`."""

from labeler.app import frame

frame.run()
